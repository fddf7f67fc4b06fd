#!/bin/sh
# Builds an image as an OCI archive, without a container engine or a registry.
#
#   build.sh mini|files|dev|all [folder]     default folder: bin/images
#
# An archive whose inputs have not changed is left as it is: a hash of them lies
# beside it. FORCE=1 builds anyway. Programs that are missing are installed by
# apt when this runs as root, else they are named.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
. "$here/lib.sh"

usage() { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
[ $# -ge 1 ] && [ $# -le 2 ] || usage
out=${2:-$repo/bin/images}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$out/.work
mkdir -p "$work"

# One builder at a time per folder: two would write the same files.
exec 9>"$work/lock"
flock -n 9 || { say "another build is running in $out, waiting"; flock 9; }

# Times inside the images: the last change of their sources, so that equal
# sources give equal archives. Without git, some fixed time.
: "${SOURCE_DATE_EPOCH:=$(git -C "$repo" log -1 --format=%ct -- deploy/images cmd/goblin-init internal/devinit internal/files 2>/dev/null || true)}"
: "${SOURCE_DATE_EPOCH:=1735689600}"
export SOURCE_DATE_EPOCH
arch=$(go env GOHOSTARCH) # the system comes from this machine's Debian packages
export GOARCH="$arch"

case $1 in
mini | files | dev) images=$1 ;;
all) images="mini files dev" ;;
*) usage ;;
esac
what=preparing
for image in $images; do progress building "$what"; done
trap 'status=$?; [ $status = 0 ] || for image in $images; do progress failed "$what"; done; exit $status' EXIT
for image in $images; do
	. "$here/$image.sh"
	progress done ""
	images=${images#"$image"}
done
