// Package guest is tests that run inside the emulated machine of testbed: what
// the command line cannot ask for, such as several windows on one server and an
// event set that is larger than the PMU.
package guest
