#!/bin/sh
# A customize hook of mmdebstrap: $1 is the new root. Installs JupyterLab
# without the compilers of its front end.
#
# Debian's package depends on some 800 packages of Node.js (1.3 GB), which serve
# to rebuild the front end after an extension from source was added. The built
# front end is in the package itself. Here the packages are repacked without
# those dependencies, so that the package database stays sound and apt works in
# an instance. Their version says so.
set -eu
root=$1
mkdir "$root/tmp/jupyterlab"
chroot "$root" sh -eu <<'INSIDE'
cd /tmp/jupyterlab
apt-get download jupyterlab jupyter-server
for deb in *.deb; do
	dpkg-deb --raw-extract "$deb" tree
	awk -F ': ' '
		/^Version:/ { print $0 "+goblinlab1"; next }
		/^Recommends:|^Suggests:/ { skip = 1; next }
		/^Depends:/ {
			n = split($2, want, /, */); line = ""
			for (i = 1; i <= n; i++) {
				if (want[i] !~ /^python3/) continue
				line = line (line == "" ? "" : ", ") want[i]
			}
			print "Depends: " line; next
		}
		{ print }
	' tree/DEBIAN/control >control
	mv control tree/DEBIAN/control
	find tree -name '*.map' -delete # 32 MB for debugging the front end itself
	dpkg-deb --build -Znone tree "relaxed-$deb" >/dev/null
	rm -rf tree
done
dpkg --install relaxed-*.deb
INSIDE
rm -rf "$root/tmp/jupyterlab"
