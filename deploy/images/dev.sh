# goblinlab.local/dev:1: Debian 13 with Python, JupyterLab, VS Code in the browser
# and sshd. Three layers: the system, which takes a minute, and code-server, which
# takes three, both of which seldom change; and our own files.

dev_suite=trixie

dev_base() {
	debian_mirrors "$dev_suite" >"$work/dev-sources.list"
	set -- --variant=minbase --skip=output/dev \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/info/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-include=/usr/share/doc/*/copyright' \
		--include="$(sed 's/#.*//' "$here/dev/packages.txt" | xargs | tr ' ' ,)" \
		--customize-hook="$here/dev/jupyterlab.sh" \
		--customize-hook="$here/dev/finish.sh" \
		"$dev_suite" "$work/dev-base.tar.part"
	if [ -s "$work/dev-sources.list" ]; then
		set -- "$@" "$work/dev-sources.list"
	fi
	env -u APT_CONFIG mmdebstrap --format=tar "$@"
	mv "$work/dev-base.tar.part" "$work/dev-base.tar"
}

# dev_code builds code-server. Its native modules want a compiler and, for
# Kerberos, headers.
dev_code_needs() {
	need npm npm
	need cc gcc
	need c++ g++
	need make make
	need python3 python3
	need strip binutils
	need openssl openssl
	need_file /usr/include/krb5.h libkrb5-dev
}

dev_code() {
	"$here/dev/code-server.sh" "$arch" "$work/code-server" "$work/code-root"
	layer "$work/code-root" "$work/dev-code.tar.part"
	mv "$work/dev-code.tar.part" "$work/dev-code.tar"
	rm -rf "${work:?}/code-server" "${work:?}/code-root"
}

dev_own() {
	rm -rf "${work:?}/dev"
	mkdir -p "$work/dev/usr/local/bin" "$work/dev/dev"
	cp -R "$here/dev/rootfs/." "$work/dev/"
	find "$work/dev" -type d -exec chmod 0755 {} +
	find "$work/dev" -type f -exec chmod 0644 {} +
	install -m 0755 "$work/goblin-init" "$work/dev/usr/local/bin/goblin-init"
	layer "$work/dev" "$work/dev-own.tar"
}

dev_build() {
	began=$(date +%s)
	step "build goblin-init" program goblin-init ./cmd/goblin-init
	step "build pack" program pack ./deploy/images/pack
	base=$(fingerprint "$here/dev.sh" "$here/dev/packages.txt" \
		"$here/dev/jupyterlab.sh" "$here/dev/finish.sh" -- "$arch")
	code=$(fingerprint "$here/dev/code-server.sh" "$here/dev/code-server.versions" -- "$arch")
	inputs=$(fingerprint "$here/lib.sh" "$here/dev/rootfs" "$work/goblin-init" "$work/pack" -- "$base" "$code")
	if fresh "$out/dev.tar" "$inputs"; then
		say "dev.tar is up to date"
		return
	fi
	if fresh "$work/dev-base.tar" "$base" || kept "$work/dev-base.tar" "$base"; then
		say "the system layer is up to date"
	else
		need mmdebstrap mmdebstrap
		need_file /usr/share/keyrings/debian-archive-keyring.gpg debian-archive-keyring
		step "install Debian $dev_suite and JupyterLab, about a minute" dev_base
		stamp "$work/dev-base.tar" "$base"
		keep "$work/dev-base.tar" "$base"
	fi
	if fresh "$work/dev-code.tar" "$code" || kept "$work/dev-code.tar" "$code"; then
		say "the layer of code-server is up to date"
	else
		dev_code_needs
		step "build code-server, about three minutes" dev_code
		stamp "$work/dev-code.tar" "$code"
		keep "$work/dev-code.tar" "$code"
	fi
	step "lay out our own files" dev_own
	step "pack dev" "$work/pack" -o "$out/dev.tar" -name goblinlab.local/dev:1 -arch "$arch" \
		-layer "$work/dev-base.tar" -layer "$work/dev-code.tar" -layer "$work/dev-own.tar" \
		-workdir /home/goblin -entrypoint /usr/local/bin/goblin-init \
		-port 8888/tcp -port 8080/tcp -port 22/tcp -port 9999/tcp \
		-env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		-env LANG=C.UTF-8 -env HOME=/home/goblin -env SHELL=/bin/bash \
		-env DEBIAN_FRONTEND=noninteractive -env PIP_BREAK_SYSTEM_PACKAGES=1
	stamp "$out/dev.tar" "$inputs"
	finish dev "$began"
}

dev_build
