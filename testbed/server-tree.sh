#!/bin/sh
# Unpacks a server of another Debian suite into a folder, without touching the
# system, and prints the folder:
#
#   testbed/server-tree.sh mysql-9.7 [FOLDER]
#
# Servers: mariadb-10.5 mariadb-10.11 mariadb-11.8 mysql-9.7. Default folder:
# ~/.cache/opcost-servers/NAME. A folder that is complete is used again.
#
# The packages come from the mirror that this machine's apt uses. The tree has a
# loader and libraries of its own; a plan starts such a server with
#   launcher: [T/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2, --library-path, T/usr/lib/x86_64-linux-gnu]
set -eu

die() {
	echo "server-tree: $*" >&2
	exit 1
}

name=${1:-}
case $name in
mariadb-10.5) suite=bullseye package=mariadb-server-core-10.5 program=mariadbd ;;
mariadb-10.11) suite=bookworm package=mariadb-server-core program=mariadbd ;;
mariadb-11.8) suite=trixie package=mariadb-server-core program=mariadbd ;;
mysql-9.7) suite=sid package=mysql-server-core program=mysqld ;;
*) die "'$name' is not one of mariadb-10.5 mariadb-10.11 mariadb-11.8 mysql-9.7" ;;
esac
tree=${2:-$HOME/.cache/opcost-servers/$name}
[ -e "$tree/complete" ] && {
	echo "$tree"
	exit 0
}
for tool in apt-get dpkg-deb; do
	command -v "$tool" >/dev/null || die "this machine has no $tool: unpack the server's packages into one folder by hand"
done
[ -e "$tree" ] && [ -n "$(ls -A "$tree")" ] && die "$tree exists and is not complete: remove it, or name another folder"

# The address that apt itself uses; security and third-party archives left out.
# shellcheck disable=SC2016 # apt's own variable
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -E '/debian/?$' | sort -u | head -n 1)
[ -n "$mirror" ] || die "no Debian mirror in apt's configuration"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/empty"
echo "deb $mirror $suite main" >"$work/sources.list"
apt() {
	apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts="$work/empty" \
		-o Dir::Etc::PreferencesParts="$work/empty" -o Dir::State::Lists="$work/lists" -o Dir::State::Status=/dev/null \
		-o Dir::Cache="$work/cache" -o APT::Install-Recommends=false -o APT::Sandbox::User=root \
		-o Acquire::Check-Valid-Until=false -o Debug::NoLocking=true "$@"
}
echo "fetching $package from $suite" >&2
apt update >&2 || die "$suite cannot be read from this machine's mirror"
apt --download-only install "$package" >&2 || die "$package of $suite cannot be fetched"
mkdir -p "$tree"
for file in "$work"/cache/archives/*.deb; do
	dpkg-deb -x "$file" "$tree"
done
[ -x "$tree/usr/sbin/$program" ] || die "$package has no usr/sbin/$program"
touch "$tree/complete"
echo "$tree"
