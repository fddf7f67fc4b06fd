#!/bin/sh
# Packs the images of the tests into OCI archives, without a container engine or a registry.
#
#	images.sh FOLDER      FOLDER/bin holds the programs, FOLDER/images gets the archives
#
# Kubernetes' own programs are built from the module. What its images take from Alpine comes from Debian here: one
# system layer under the images that need more than a program.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../../.." && pwd)
out=$(cd "$1" && pwd)
bin=$out/bin
work=$out/.work
source=$(cd "$here" && go list -m -f '{{.Dir}}' k8s.io/kubernetes)/test/images
arch=$(go env GOHOSTARCH)
SOURCE_DATE_EPOCH=1735689600
export SOURCE_DATE_EPOCH
mkdir -p "$work" "$out/images"
. "$repo/deploy/images/lib.sh"

packages=bash,bash-static,bind9-dnsutils,busybox-static,curl,iperf,iproute2,iptables,netcat-openbsd,nginx-light,perl,socat,stress,util-linux
suite=trixie

system() {
	debian_mirrors $suite >"$work/sources.list"
	set -- --variant=essential --skip=output/dev --include=$packages --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' $suite "$work/system.tar.part"
	[ ! -s "$work/sources.list" ] || set -- "$@" "$work/sources.list"
	env -u APT_CONFIG mmdebstrap --format=tar "$@"
	mv "$work/system.tar.part" "$work/system.tar"
}

# names NAME prints the names, with registry and tag, under which the tests ask for an image. Those of registries that
# are meant to refuse it are left out.
names() { "$bin/e2e.test" --list-images | grep -E "^registry\.k8s\.io/(.*/)?$1:" | sort -u; }

# image NAME LAYERS… -- WORDS… packs an image; the words are more flags of pack.
image() {
	name=$1 layers=''
	shift
	while [ "$1" != -- ]; do
		layers="$layers -layer $work/$1.tar"
		shift
	done
	shift
	for ref in $(names "$name"); do
		# shellcheck disable=SC2086 # a list of flags
		"$work/pack" -name "$ref" -arch "$arch" -o "$out/images/$(basename "$ref" | tr : -).tar" $layers \
			-env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
	done
}

# own NAME makes an empty folder for the files of a layer and goes there.
own() {
	rm -rf "${work:?}/$1"
	mkdir "$work/$1"
	cd "$work/$1"
}

# with NAME PROGRAM… makes a layer of programs in /.
with() {
	own "$1"
	name=$1
	shift
	for program; do cp "$bin/$program" .; done
	layer . "$work/$name.tar"
}

users() {
	mkdir -p etc root tmp
	chmod 1777 tmp
	cat >etc/passwd <<-END
		root:x:0:0:root:/root:/bin/sh
		www-data:x:33:33::/var/www:/bin/false
		user-defined-in-image:x:1000:1000::/:/bin/sh
		nobody:x:65534:65534::/:/bin/false
	END
	cat >etc/group <<-END
		root:x:0:
		www-data:x:33:
		user-defined-in-image:x:1000:
		group-defined-in-image:x:50000:user-defined-in-image
		nogroup:x:65534:
	END
}

# Debian's busybox has a shell that drops variables whose names are no identifiers; the tests look for such in its output.
busybox() {
	own busybox
	mkdir bin home
	tar -xOf "$work/system.tar" ./usr/bin/busybox >bin/busybox
	tar -xOf "$work/system.tar" ./usr/bin/bash-static >bin/sh
	chmod 755 bin/busybox bin/sh
	for a in $(bin/busybox --list); do [ -e "bin/$a" ] || ln -s busybox "bin/$a"; done
	users
	layer . "$work/busybox.tar"
}

# The tests call programs that Alpine has through its busybox; those that Debian's packages lack come from there too.
agnhost() {
	own agnhost
	mkdir -p uploads usr/local/bin
	tar -tf "$work/system.tar" | sed -n 's,^\./usr/s\{0\,1\}bin/,,p' >"$work/programs"
	for a in $(../busybox/bin/busybox --list); do
		grep -qx "$a" "$work/programs" || ln -s /usr/bin/busybox "usr/local/bin/$a"
	done
	users
	cp "$bin/agnhost" "$source"/agnhost/porter/localhost.crt "$source"/agnhost/porter/localhost.key .
	ln -s agnhost agnhost-2
	registry
	layer . "$work/agnhost.tar"
}

# The image that agnhost's registry hands out is our pause image.
registry() {
	mkdir -p var/registry/pause/manifests "$work/layout"
	tar -xf "$out"/images/pause-*.tar -C "$work/layout"
	sed 's/.*"digest":"\([^"]*\)".*/\1/' "$work/layout/index.json" >var/registry/pause/manifests/testing
	for blob in "$work"/layout/blobs/sha256/*; do
		hash=$(basename "$blob")
		for kind in manifests blobs; do
			install -D -m 644 "$blob" "var/registry/pause/$kind/sha256/$(echo "$hash" | cut -c1-2)/$hash/data"
		done
	done
	rm -r "$work/layout"
}

pictures() {
	own "$1"
	cp "$source/$1/html/$1.jpg" "$source/$1/html/data.json" .
	layer . "$work/$1.tar"
}

nonewprivs() {
	own nonewprivs
	install -D -m 6755 "$bin/nonewprivs" usr/local/bin/nnp
	layer . "$work/nonewprivs.tar"
}

etcd() {
	own etcd
	install -D "$bin/server" usr/local/bin/etcd
	layer . "$work/etcd.tar"
}

# nginx logs to where kubectl logs reads, and its page is where the tests look for it.
nginx() {
	own nginx
	mkdir -p etc/nginx usr/share/nginx/html var/log/nginx
	cat >etc/nginx/nginx.conf <<-END
		user www-data;
		error_log /dev/stderr;
		pid /run/nginx.pid;
		events {}
		http {
			include /etc/nginx/mime.types;
			access_log /dev/stdout;
			server { listen 80; listen [::]:80; root /usr/share/nginx/html; index index.html; }
		}
	END
	echo '<!DOCTYPE html><title>Welcome to nginx!</title><h1>Welcome to nginx!</h1>' >usr/share/nginx/html/index.html
	layer . "$work/nginx.tar"
}

pack_all() {
	with pause pause
	image pause pause -- -entrypoint /pause
	busybox
	agnhost
	pictures nautilus
	pictures kitten
	nonewprivs
	nginx
	etcd
	with sample-apiserver sample-apiserver
	with resource-consumer resource-consumer consume-cpu
	with regression-issue-74839 regression-issue-74839
	image busybox busybox -- -cmd sh
	image nonroot busybox -- -cmd sh -user 1234
	image nonewprivs busybox nonewprivs -- -cmd nnp
	image etcd busybox etcd -- -cmd etcd
	image sample-apiserver busybox sample-apiserver -- -entrypoint /sample-apiserver
	image regression-issue-74839 busybox regression-issue-74839 -- -entrypoint /regression-issue-74839
	image resource-consumer system resource-consumer -- -entrypoint /resource-consumer
	image agnhost system agnhost -- -entrypoint /agnhost -cmd pause
	image nautilus system agnhost nautilus -- -entrypoint /agnhost -cmd test-webserver
	image kitten system agnhost kitten -- -entrypoint /agnhost -cmd test-webserver
	image nginx system nginx -- -cmd nginx -cmd -g -cmd 'daemon off;'
	image perl system -- -cmd perl
	image glibc-dns-testing system -- -cmd bash
	image ipc-utils system -- -cmd sh
	image distroless-iptables system -- -cmd sh
}

need mmdebstrap mmdebstrap
need_file /usr/share/keyrings/debian-archive-keyring.gpg debian-archive-keyring
step "build pack" program pack ./deploy/images/pack
recipe=$(printf '%s %s %s' $suite $packages "$arch")
if ! fresh "$work/system.tar" "$recipe"; then
	step "install Debian $suite for the images of the tests" system
	stamp "$work/system.tar" "$recipe"
fi
inputs=$(fingerprint "$here/images.sh" "$repo/deploy/images/lib.sh" "$bin" -- "$recipe")
if ! fresh "$out/images/complete" "$inputs"; then
	rm -f "$out"/images/*
	step "pack the images of the tests" pack_all
	ls "$out/images" >"$out/images/complete"
	stamp "$out/images/complete" "$inputs"
fi
