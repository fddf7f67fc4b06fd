# Functions of build.sh. Expects: here, repo, out, work, arch.

say() { printf 'images: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# progress STATE WORDS tells in IMAGE.json, beside the archive, how far the image
# is that is being made: building, done or failed. The page shows it.
progress() {
	[ -n "${image:-}" ] || return 0
	printf '{"state":"%s","step":"%s","pid":%s}\n' "$1" "$2" $$ >"$work/$image.json.part"
	mv "$work/$image.json.part" "$out/$image.json"
}

# step WORDS COMMAND… runs a command and tells what it does and how long it
# took. Its output is shown only if it fails.
step() {
	what=$1; shift
	progress building "$what"
	step_began=$(date +%s)
	say "$what …"
	# Not as the condition of an if: there the shell would go on after an error.
	set +e
	(set -e; "$@") >"$work/step.log" 2>&1
	status=$?
	set -e
	if [ "$status" != 0 ]; then
		tail -n 40 "$work/step.log" >&2
		die "$what failed, see above"
	fi
	say "$what: $(($(date +%s) - step_began)) s"
}

# need PROGRAM PACKAGE and need_file PATH PACKAGE make sure that a thing is there.
need() { command -v "$1" >/dev/null 2>&1 || obtain "$1" "$2"; }
need_file() { [ -e "$1" ] || obtain "$1" "$2"; }

obtain() {
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
		die "$1 is missing. Install it, on Debian or Ubuntu: sudo apt-get install $2"
	fi
	step "install $2" apt_install "$2"
}

apt_install() {
	env -u APT_CONFIG DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1" ||
		{ env -u APT_CONFIG apt-get update && env -u APT_CONFIG DEBIAN_FRONTEND=noninteractive \
			apt-get install -y --no-install-recommends "$1"; }
}

# debian_mirrors SUITE prints apt's lines for it, from the Debian mirrors that this
# machine itself uses (without credentials, since the image keeps the lines).
# Without such a mirror it prints nothing, and mmdebstrap takes its default.
debian_mirrors() {
	command -v apt-get >/dev/null 2>&1 || return 0
	env -u APT_CONFIG apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed 's|//[^/@]*@|//|; s|/*$||' | sort -u | awk -v suite="$1" '
			/\/debian$/ && !main++ { print "deb " $1 " " suite " main"; print "deb " $1 " " suite "-updates main" }
			/\/debian-security$/ && !sec++ { print "deb " $1 " " suite "-security main" }'
}

# fingerprint FILE… -- WORD… is a hash over contents, names and words.
fingerprint() {
	{
		while [ $# -gt 0 ] && [ "$1" != -- ]; do
			find "$1" -type f -print | LC_ALL=C sort | while IFS= read -r f; do
				printf '%s ' "${f#"$repo"/}"; sha256sum <"$f"
			done
			shift
		done
		printf '%s\n' "$@"
	} | sha256sum | cut -d' ' -f1
}

# fresh FILE HASH tells whether a file was made from these inputs.
fresh() { [ -z "${FORCE:-}" ] && [ -s "$1" ] && [ "$(cat "$1.inputs" 2>/dev/null)" = "$2" ]; }
stamp() { printf '%s\n' "$2" >"$1.inputs"; }

# Layers that take minutes are kept for every checkout of this user's, for 30
# days: then the system in them is due to be made anew from Debian's updates.
layers=${XDG_CACHE_HOME:-${HOME:-}/.cache}/goblinlab/layers

# kept FILE HASH takes a layer that was kept, and fails where there is none.
kept() {
	[ -z "${FORCE:-}" ] && [ -n "$(find "$layers/$2" -mtime -30 2>/dev/null)" ] || return 1
	cp --reflink=auto "$layers/$2" "$1.part" && mv "$1.part" "$1" && stamp "$1" "$2"
}

# keep FILE HASH keeps a layer; where that is impossible it will be made again.
keep() {
	find "$layers" -type f -mtime +30 -delete 2>/dev/null || true
	mkdir -p "$layers" 2>/dev/null && cp --reflink=auto "$1" "$layers/$2.$$" 2>/dev/null && mv "$layers/$2.$$" "$layers/$2" ||
		rm -f "$layers/$2.$$"
}

# program NAME PACKAGE builds one of our programs, static.
# Without the commit in it, or every commit would mean new images.
program() { (cd "$repo" && CGO_ENABLED=0 go build -buildvcs=false -o "$work/$1" "$2"); }

# layer FOLDER TAR makes a layer: sorted, owned by root, with fixed times.
layer() {
	tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
		--format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
		-C "$1" -cf "$2" .
}

# finish IMAGE SECONDS says what was made.
finish() {
	say "$1.tar: $(du -m "$out/$1.tar" | cut -f1) MB, $(($(date +%s) - $2)) s"
}
