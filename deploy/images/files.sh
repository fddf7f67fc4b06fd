# goblinlab.local/files:1: goblin-init and nothing else. The data manager starts
# it beside a volume, as `goblin-init files` (docs/adr/0016-files.md).

files_root() {
	rm -rf "${work:?}/files"
	mkdir -p "$work/files/usr/local/bin" "$work/files/etc" "$work/files/proc" "$work/files/sys" \
		"$work/files/dev" "$work/files/run/secrets/goblinlab" "$work/files/volume"
	install -m 0755 "$work/goblin-init" "$work/files/usr/local/bin/goblin-init"
	install -d -m 1777 "$work/files/tmp"
	printf 'root:x:0:0:root:/:/bin/false\n' >"$work/files/etc/passwd"
	printf 'root:x:0:\n' >"$work/files/etc/group"
	layer "$work/files" "$work/files-layer.tar"
}

files_build() {
	began=$(date +%s)
	step "build goblin-init" program goblin-init ./cmd/goblin-init
	step "build pack" program pack ./deploy/images/pack
	inputs=$(fingerprint "$here/files.sh" "$here/lib.sh" "$work/goblin-init" "$work/pack" -- "$arch")
	if fresh "$out/files.tar" "$inputs"; then
		say "files.tar is up to date"
		return
	fi
	step "lay out files" files_root
	step "pack files" "$work/pack" -o "$out/files.tar" -name goblinlab.local/files:1 -arch "$arch" \
		-layer "$work/files-layer.tar" -workdir / -entrypoint /usr/local/bin/goblin-init
	stamp "$out/files.tar" "$inputs"
	finish files "$began"
}

files_build
