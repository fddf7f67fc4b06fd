#!/bin/sh
# Looks for what the build needs beside Go. As root on Debian or Ubuntu it installs what is missing, elsewhere it says
# what to install.
set -eu

missing=""
command -v go >/dev/null || { echo "Go is missing; install it from https://go.dev/dl" >&2; exit 1; }
command -v gcc >/dev/null || missing="$missing gcc libc6-dev"
command -v pkg-config >/dev/null || missing="$missing pkg-config"
pkg-config --exists libseccomp 2>/dev/null || missing="$missing libseccomp-dev"
# kube-proxy, the kubelet and the CNI plug-ins call it.
command -v iptables >/dev/null || [ -x /usr/sbin/iptables ] || missing="$missing iptables"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "Installing$missing…"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # a list of packages
	apt-get install -y -qq $missing >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq $missing >/dev/null; }
	exit 0
fi
echo "Missing:$missing. Install with: sudo apt-get install$missing (or your system's packages of these names)" >&2
exit 1
