#!/bin/sh
# Measures four servers of Debian's archive beside each other, each from a tree
# of its own (see server-tree.sh), and prints their table:
#
#   testbed/four-servers.sh OPCOST RESULTS [WORKLOADS] [REPEATS]
#
# RESULTS is a new folder, or one that an earlier call left unfinished.
set -eu
opcost=$1
results=$2
workloads=${3:-point-query, random-points_range=10, read-only}
repeats=${4:-2}
here=$(dirname "$0")

plan=$results.yaml
{
	echo "# Written by testbed/four-servers.sh."
	"$here/versions.sh" mariadb-10.5 mariadb-10.11 mariadb-11.8 mysql-9.7
	cat <<-END
		workloads: [$workloads]
		rows: 10000
		clients: [1]
		counters: auto
		warmup: 1s
		operations: 2000
		repeats: $repeats
		options: [innodb-buffer-pool-size=128M, skip-log-bin, performance_schema=OFF]
	END
} >"$plan.new"
mv "$plan.new" "$plan"
exec "$opcost" run "$plan" --out "$results"
