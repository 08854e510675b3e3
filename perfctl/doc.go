// Package perfctl is the flow of one measurement. [Run] takes a plan through
// servers, workloads and passes; every window of it, and of any other way to
// measure, is made by [Measure]. The rooms below do the work: perfctl only
// says in which order, and keeps what they give. It prints nothing and
// computes no statistics.
package perfctl
