#!/bin/sh
# Installs what a command of the Makefile needs and the machine lacks: through
# the package manager when root, else it prints the one line to run and fails.
#
#   testbed/install.sh server perf valgrind sysbench
#
# Only packages that start no service are taken (mariadb-server-core, not
# mariadb-server): the machine's own servers stay as they are.
set -eu

have() {
	case $1 in
	server) command -v mariadbd || command -v mysqld || [ -x /usr/sbin/mariadbd ] || [ -x /usr/sbin/mysqld ] ;;
	perf) perf --version ;; # Ubuntu's /usr/bin/perf may be there and lack the kernel's tools
	chromium) command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable ;;
	*) command -v "$1" ;;
	esac >/dev/null 2>&1
}

package() {
	case $1 in
	server) echo mariadb-server-core ;;
	perf)
		if grep -qi '^ID=ubuntu' /etc/os-release 2>/dev/null; then
			echo "linux-tools-common linux-tools-$(uname -r)"
		else
			echo linux-perf
		fi
		;;
	chromium)
		if grep -qi '^ID=ubuntu' /etc/os-release 2>/dev/null; then
			echo chromium-browser # a snap: Google's package serves as well
		else
			echo chromium
		fi
		;;
	qemu-system-aarch64) echo qemu-system-arm ;;
	depmod) echo kmod ;;
	mariadb-slap) echo mariadb-client ;;
	gcc) echo "gcc libc6-dev" ;;
	readelf) echo binutils ;; # objdump, nm and strip too
	*) echo "$1" ;;
	esac
}

missing=
for need in "$@"; do
	have "$need" || missing="$missing $(package "$need")"
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null 2>&1 || {
	echo "opcost needs$missing (names as in Debian), and this machine has no apt-get: install them, then try again" >&2
	exit 1
}
if [ "$(id -u)" -ne 0 ]; then
	echo "opcost needs packages that are not installed. Run this, then try again:" >&2
	echo "  sudo apt-get update && sudo apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
echo "installing$missing" >&2
# Old lists may name versions that are gone, so they are fetched anew.
apt-get update -qq
# shellcheck disable=SC2086 # a list of packages
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
