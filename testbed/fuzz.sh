#!/bin/sh
# Runs every fuzz target of the project for a time each (default 20s):
#
#   testbed/fuzz.sh [TIME]
#
# What a target finds is written below its package's testdata/fuzz, from where
# every later `go test` runs it.
set -eu
time=${1:-20s}
cd "$(dirname "$0")/.."
found=$(mktemp)
trap 'rm -f "$found"' EXIT
grep -rl --include='*_test.go' '^func Fuzz' cmd collectors perfctl profiles | xargs -n 1 dirname | sort -u | while read -r folder; do
	# -fuzz takes one target at a time; minimising is bounded, as Go's may take a
	# target's whole time for an input that is merely interesting.
	grep -h '^func Fuzz' "$folder"/*_test.go | sed 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/' | while read -r target; do
		echo "$folder $target" >&2
		# shellcheck disable=SC2086 # a list of flags
		"${GO:-go}" test "./$folder" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 5x ${FUZZ_FLAGS:-} </dev/null || echo "$folder $target" >>"$found"
	done
done
[ ! -s "$found" ] || {
	echo "found something:" >&2
	cat "$found" >&2
	exit 1
}
