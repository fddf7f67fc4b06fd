# goblinlab.local/mini:1: a static busybox and goblin-init. For tests and tiny
# tasks; it has no app, so an instance of it is ready at once.

mini_root() {
	rm -rf "${work:?}/mini"
	mkdir -p "$work/mini/bin" "$work/mini/etc" "$work/mini/home/goblin" "$work/mini/usr/local/bin" \
		"$work/mini/usr/bin" "$work/mini/sbin" "$work/mini/usr/sbin" "$work/mini/proc" "$work/mini/sys" \
		"$work/mini/dev" "$work/mini/run" "$work/mini/root" "$work/mini/var"
	install -m 0755 "$1" "$work/mini/bin/busybox"
	install -m 0755 "$work/goblin-init" "$work/mini/usr/local/bin/goblin-init"
	install -d -m 1777 "$work/mini/tmp"
	"$1" --list-full | while IFS= read -r applet; do
		[ -e "$work/mini/$applet" ] || ln -s /bin/busybox "$work/mini/$applet"
	done
	printf 'root:x:0:0:root:/home/goblin:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n' >"$work/mini/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$work/mini/etc/group"
	printf 'root:*:0:0:99999:7:::\n' >"$work/mini/etc/shadow"
	chmod 0640 "$work/mini/etc/shadow"
	layer "$work/mini" "$work/mini-layer.tar"
}

mini_build() {
	began=$(date +%s)
	need busybox busybox-static
	# The static one: a dynamic busybox would not start alone.
	busybox=$(command -v busybox)
	if ldd "$busybox" >/dev/null 2>&1; then
		die "$busybox is not static. Install it, on Debian or Ubuntu: sudo apt-get install busybox-static"
	fi
	step "build goblin-init" program goblin-init ./cmd/goblin-init
	step "build pack" program pack ./deploy/images/pack
	inputs=$(fingerprint "$here/mini.sh" "$here/lib.sh" "$busybox" "$work/goblin-init" "$work/pack" -- "$arch")
	if fresh "$out/mini.tar" "$inputs"; then
		say "mini.tar is up to date"
		return
	fi
	step "lay out mini" mini_root "$busybox"
	step "pack mini" "$work/pack" -o "$out/mini.tar" -name goblinlab.local/mini:1 -arch "$arch" \
		-layer "$work/mini-layer.tar" -workdir /home/goblin -entrypoint /usr/local/bin/goblin-init \
		-env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		-env LANG=C.UTF-8 -env HOME=/home/goblin -env SHELL=/bin/sh
	stamp "$out/mini.tar" "$inputs"
	finish mini "$began"
}

mini_build
