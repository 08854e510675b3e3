// Package testbed proves opcost's hardware path on a machine that has none:
// pmu-machine is an emulated arm64 machine whose PMU counts, pmu-job.sh is what
// runs inside, and the test of this package judges what came out. It knows
// opcost by its command line and its records; what these cannot ask for is in
// guest, which runs inside. Nothing of opcost may depend on this folder.
//
//	OPCOST_PMU=short go test ./testbed/ -count=1 -v               under 4 minutes
//	OPCOST_PMU=long  go test ./testbed/ -count=1 -v -timeout 40m  repeatability, a shared PMU, an unprivileged user
//
// Everything that the machine wrote is left in testbed/out for reading.
package testbed
