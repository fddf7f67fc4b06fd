#!/bin/sh
# Looks for what the build needs beside Go. As root on Debian or Ubuntu it installs what is missing, elsewhere it says
# what to install.
#
#	deps.sh [ARCH [TRIPLE SYSROOT]]    with a triple: for a build for another architecture
set -eu
arch=${1:-}
triple=${2:-}
sysroot=${3:-}

missing=""
command -v go >/dev/null || { echo "Go is missing; install it from https://go.dev/dl" >&2; exit 1; }
command -v pkg-config >/dev/null || missing="$missing pkg-config"
if [ -n "$triple" ]; then
	command -v "$triple-gcc" >/dev/null || missing="$missing gcc-$triple libc6-dev-$arch-cross"
else
	command -v gcc >/dev/null || missing="$missing gcc libc6-dev"
	pkg-config --exists libseccomp 2>/dev/null || missing="$missing libseccomp-dev"
fi
# kube-proxy, the kubelet and the CNI plug-ins call it.
command -v iptables >/dev/null || [ -x /usr/sbin/iptables ] || missing="$missing iptables"

# foreign_seccomp unpacks Debian's libseccomp for the other architecture, without adding that to the machine: apt gets
# lists and a cache of its own.
foreign_seccomp() {
	[ -e "$sysroot/usr/lib/$triple/libseccomp.a" ] && return
	command -v apt-get >/dev/null || { echo "libseccomp for $arch is needed as $sysroot/usr/lib/$triple/libseccomp.a, with its header and its .pc file" >&2; exit 1; }
	echo "Fetching libseccomp for ${arch}…"
	apt=$sysroot/apt
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	options="-q -o APT::Architecture=$arch -o APT::Architectures::=$arch -o Dir::State::lists=$apt/lists -o Dir::State::status=$apt/status -o Dir::Cache=$apt/cache -o APT::Sandbox::User=$(id -un)"
	# shellcheck disable=SC2086 # a list of options
	(cd "$apt" && apt-get $options update >log 2>&1 && apt-get $options download libseccomp-dev >>log 2>&1) || { tail -n 5 "$apt/log" >&2; exit 1; }
	dpkg-deb -x "$apt"/libseccomp-dev_*.deb "$sysroot"
	rm -r "$apt"
}

if [ -z "$missing" ]; then
	[ -z "$triple" ] || foreign_seccomp
	exit 0
fi

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "Installing$missing…"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # a list of packages
	apt-get install -y -qq $missing >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq $missing >/dev/null; }
	[ -z "$triple" ] || foreign_seccomp
	exit 0
fi
echo "Missing:$missing. Install with: sudo apt-get install$missing (or your system's packages of these names)" >&2
exit 1
