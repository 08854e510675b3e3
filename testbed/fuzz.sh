#!/bin/sh
# Runs every fuzz target of the project for a time each (default 20s), two at a
# time:
#
#   testbed/fuzz.sh [TIME]
#
# What a target finds is written below its package's testdata/fuzz, from where
# every later `go test` runs it.
set -eu
cd "$(dirname "$0")/.."

if [ "${1-}" = one ]; then # TIME FOLDER TARGET, for xargs below
	# -fuzz takes one target at a time; minimising is bounded, as Go's may take a
	# target's whole time for an input that is merely interesting.
	# shellcheck disable=SC2086 # a list of flags
	if out=$("${GO:-go}" test "./$3" -run '^$' -fuzz "^$4\$" -fuzztime "$2" -fuzzminimizetime 5x -parallel 1 ${FUZZ_FLAGS:-} </dev/null 2>&1); then
		echo "$3 $4: $(printf '%s\n' "$out" | sed -n 's/^fuzz: elapsed: [^,]*, execs: \([0-9]*\).*/\1 inputs/p' | tail -n 1)" >&2
		exit 0
	fi
	echo "$3 $4:" >&2
	printf '%s\n' "$out" >&2 # echo may take its backslashes for more than that
	echo "$3 $4" >>"$FOUND"
	exit 0
fi

time=${1:-20s}
FOUND=$(mktemp)
export FOUND
trap 'rm -f "$FOUND"' EXIT
grep -r --include='*_test.go' '^func Fuzz' cmd collectors perfctl profiles | sort |
	sed 's/^\(.*\)\/[^/]*:func \(Fuzz[A-Za-z0-9_]*\).*/\1 \2/' |
	xargs -P 2 -L 1 testbed/fuzz.sh one "$time"
[ ! -s "$FOUND" ] || {
	echo "found something:" >&2
	cat "$FOUND" >&2
	exit 1
}
