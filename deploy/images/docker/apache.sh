#!/bin/sh
# apache.sh URL SUM FOLDER downloads an archive, checks it against URL.SUM and
# unpacks it as FOLDER. Apache's sums come in several layouts; what counts is that
# the sum stands in the file.
set -eu
url=$1 sum=$2 folder=$3
part=$(mktemp)
curl -fsSL --retry 3 -o "$part" "$url"
got=$("${sum}sum" <"$part" | cut -d' ' -f1)
curl -fsSL --retry 3 "$url.$sum" | tr -d ' \n' | tr 'A-F' 'a-f' | grep -qF "$got" || {
	echo "$url is damaged: its $sum is $got, which $url.$sum does not hold" >&2
	exit 1
}
mkdir -p "$folder"
tar -xzf "$part" -C "$folder" --strip-components=1 --no-same-owner
rm "$part"
