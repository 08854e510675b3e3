#!/usr/bin/env bash
# Runs inside the emulated machine, as root, in /in (see pmu-machine). It only
# measures; the Go test outside judges. With guest.test among the files it makes
# the long form.
set -u
step() { echo "== $* (at $(cut -d. -f1 /proc/uptime) s)"; }
# A terminal's escape sequences have no place in a log, so stderr is a file.
logged() { # NAME COMMAND...: status, stdout and stderr into /out
	local name=$1
	shift
	step "$name: $*"
	"$@" >"/out/$name.stdout" 2>"/out/$name.stderr"
	local rc=$?
	echo "$rc" >"/out/$name.status"
	[ $rc = 0 ] || { echo "$name: exit status $rc"; tail -5 "/out/$name.stderr"; }
}
as_nobody() { su -s /bin/bash nobody -c "cd /tmp/nobody && $*"; }

echo -1 >/proc/sys/kernel/perf_event_paranoid
# The loop alone: Go's runtime would interrupt it every 10 ms, some 5,000
# instructions each time, and has threads of its own (-i leaves these out).
for turns in 10000000 210000000; do
	logged "loop-$turns" env GODEBUG=asyncpreemptoff=1 perf stat -i -x, -o "/out/loop-$turns.csv" -e instructions:u /in/loop $turns
done
logged doctor /in/opcost doctor --format json
logged short /in/opcost run /in/short.yaml --out /tmp/short --format json
cp -r /tmp/short /out/short
step profile
logged profile /in/opcost run /in/profile.yaml --out /tmp/profile --format json
step profiled
cp -r /tmp/profile /out/profile
[ -e /in/guest.test ] || exit 0

logged long /in/opcost run /in/long.yaml --out /tmp/long --format json
cp -r /tmp/long /out/long
logged guest env OPCOST_PMU_GUEST=1 /in/guest.test -test.v

# What an ordinary user may do: user space (2), nothing (3, a setting of Debian's).
mkdir -m 777 /tmp/nobody
for paranoid in 2 3; do
	echo $paranoid >/proc/sys/kernel/perf_event_paranoid
	logged nobody-$paranoid as_nobody /in/opcost run /in/short.yaml --out /tmp/nobody/run-$paranoid --format json
done

step "samples of perf's output"
mkdir /out/samples
six=instructions:u,instructions:k,cycles:u,cycles:k,instructions,cycles
ten=$six,stalled-cycles-frontend:u,stalled-cycles-frontend:k,stalled-cycles-backend:u,stalled-cycles-backend:k
sample() { # NAME OPTION...
	local name=$1
	shift
	perf stat -j -o "/out/samples/$name.json" "$@" /in/loop 10000000 2>"/out/samples/$name.stderr"
	perf stat -x, -o "/out/samples/$name.csv" "$@" /in/loop 10000000 2>>"/out/samples/$name.stderr"
}
perf --version >/out/samples/version
perf list >/out/samples/list 2>&1
for paranoid in 2 -1; do
	echo $paranoid >/proc/sys/kernel/perf_event_paranoid
	sample "group-paranoid$paranoid" -e "{instructions:u,instructions:k,cycles:u,cycles:k}" -e task-clock,context-switches
done
sample multiplexed -e $ten
sample too-large-group -e "{$ten}"
sample lacking -e branches,branch-misses,cache-misses,instructions
echo 2 >/proc/sys/kernel/perf_event_paranoid
# without privileges: one that perf narrows to user space, and one that it refuses
as_nobody "perf stat -j -o /tmp/nobody/narrowed.json -e instructions,cycles,task-clock,context-switches /in/loop 10000000"
as_nobody "perf stat -x, -o /tmp/nobody/narrowed.csv -e instructions,cycles,task-clock,context-switches /in/loop 10000000"
as_nobody "perf stat -j -e instructions:k /in/loop 10000000" >/out/samples/refused.stderr 2>&1
cp /tmp/nobody/narrowed.* /out/samples/
exit 0
