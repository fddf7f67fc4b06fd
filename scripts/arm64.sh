#!/usr/bin/env bash
# Builds every program for arm64 into bin/arm64 and looks at each: that it is one
# for arm64, and, where an emulator is there (qemu-user-static), that it starts.
# The images of instances are not among them: their packages' own scripts would
# have to run under the emulator.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/bin/arm64
mkdir -p "$out"
for program in goblinlab goblin-init goblin; do
  echo "==> building $program for arm64"
  GOARCH=arm64 CGO_ENABLED=0 go build -o "$out/$program" "./cmd/$program"
done
make --no-print-directory -C deploy/local ARCH=arm64 OUT="$out/local"
fail=0
while IFS= read -r -d '' f; do
  case $f in *.tar) continue ;; esac
  machine=$(readelf -h "$f" 2>/dev/null | awk '/Machine:/ {print $2}')
  words=
  if command -v qemu-aarch64-static >/dev/null; then
    case ${f##*/} in
      goblin-init | goblin | goblinlab-image) words=--help ;;
      kubectl) words='version --client' ;;
      coredns) words=-version ;;
      containerd-shim-runc-v2) words=-v ;;
      ptp | portmap | host-local) words= ;;
      *) words=--version ;;
    esac
    # shellcheck disable=SC2086 # words of their own
    words=$(qemu-aarch64-static "$f" $words 2>&1 </dev/null | head -n 1) || true
  fi
  printf '%-28s %-8s %s\n' "${f#"$out"/}" "$machine" "$words"
  [ "$machine" = AArch64 ] || { echo "goblinlab: $f is not for arm64" >&2; fail=1; }
done < <(find "$out" -path "$out/local/.sysroot" -prune -o -type f -print0 | sort -z)
exit "$fail"
