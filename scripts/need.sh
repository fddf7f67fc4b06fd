#!/usr/bin/env bash
# Makes sure that programs are there: need.sh PROGRAM=PACKAGE …  As root it
# installs what is missing with apt; otherwise it says what to install.
set -euo pipefail
missing=()
for pair in "$@"; do
  program=${pair%%=*} package=${pair#*=}
  case $program in
    /*) compgen -G "$program" >/dev/null || missing+=("$package") ;;
    *) command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || missing+=("$package") ;;
  esac
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "goblinlab: missing ${missing[*]}. Install with: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
echo "==> installing ${missing[*]} (apt)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "goblinlab: apt could not install ${missing[*]}; see the lines above" >&2
  exit 1
fi
