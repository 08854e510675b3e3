#!/bin/sh
# Prints what benchmarks wrote down (see testbed/figures) as one table, and puts
# it into a document: testbed/figures.sh FIGURES [DOCUMENT]. Of a figure that
# stands twice the last counts.
set -eu
figures=$1 document=${2-}
[ -s "$figures" ] || { echo "no figures in $figures: no benchmark came to its end" >&2; exit 1; }

model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1)
machine="$(uname -m), $(getconf _NPROCESSORS_ONLN) CPUs${model:+ ($model)}, Linux $(uname -r | cut -d- -f1)"
if grep -q '^flags.* hypervisor' /proc/cpuinfo; then machine="$machine, a virtual machine"; fi
if ls /sys/bus/event_source/devices 2>/dev/null | grep -Eq '^(cpu|cpu_core|armv8.*)$'; then
	machine="$machine, with hardware counters"
else
	machine="$machine, without hardware counters"
fi

table() {
	echo "| figure | limit | seen | met |"
	echo "|:--|:--|:--|:--|"
	awk -F'|' '
		!($1 in row) { order[++n] = $1 }
		{ row[$1] = "| " $1 " | " ($2 == "" ? "-" : $2) " | " $3 " | " ($4 == "" ? "-" : $4) " |" }
		END { for (i = 1; i <= n; i++) print row[order[i]] }' "$figures"
}

table
[ -n "$document" ] || exit 0
{
	cat <<TEXT
# Figures

What \`make bench\` saw; it writes this page. A figure without a limit is told, not judged. Times and shares are
ratios within one run wherever two things can be compared: other machines have other seconds.

$(date -u +%Y-%m-%d), $machine.

$(table)
TEXT
} >"$document.new"
mv "$document.new" "$document"
