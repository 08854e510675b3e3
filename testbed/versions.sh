#!/bin/sh
# Prints the `versions:` of a plan for servers of Debian's archive. Each is first
# unpacked into a folder of its own, without touching the system:
#
#   testbed/versions.sh mariadb-10.11 mariadb-11.8 >plan.yaml
#
# server-tree.sh says which servers there are. A server of another suite is
# started by its own loader, with its own libraries; hence the launcher.
set -eu
[ $# -gt 0 ] || {
	echo "versions: name servers, such as mariadb-10.11 mariadb-11.8" >&2
	exit 1
}
here=$(dirname "$0")
echo "versions:"
for name in "$@"; do
	tree=$("$here/server-tree.sh" "$name")
	lib=$tree/usr/lib/$(uname -m)-linux-gnu
	loader=$(find "$lib/" "$tree/lib/" "$tree/lib64/" -name 'ld-linux*' 2>/dev/null | sort | head -n 1)
	libraries=$lib
	[ ! -d "$tree/lib" ] || [ -L "$tree/lib" ] || libraries=$tree/lib/$(uname -m)-linux-gnu:$lib # before the merge of /lib into /usr/lib
	echo "  - name: $name"
	echo "    basedir: $tree/usr"
	echo "    launcher: [$loader, --library-path, \"$libraries\"]"
done
