#!/bin/sh
# The last customize hook of mmdebstrap: $1 is the new root. Makes the system an
# instance's: root lives on the home volume, and nothing that must be individual
# is in the image.
set -eu
root=$1
mkdir -p "$root/home/goblin" "$root/run/sshd"
sed -i 's|^root:\([^:]*\):0:0:\([^:]*\):[^:]*:|root:\1:0:0:\2:/home/goblin:|' "$root/etc/passwd"
grep -q '^root:.*:/home/goblin:/bin/bash$' "$root/etc/passwd"
rm -f "$root"/etc/ssh/ssh_host_* "$root"/etc/hostname "$root"/etc/resolv.conf
find "$root/var/log" -type f -exec truncate -s 0 {} + # sshd looks for lastlog and wtmp
rm -rf "$root"/var/log/apt "$root"/var/log/*.log "$root"/var/cache/debconf/*-old "$root"/var/cache/apt/*.bin
: >"$root/etc/machine-id"
