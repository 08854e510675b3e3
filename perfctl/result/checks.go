package result

// CheckOthers names the check of how much of the machine's CPU time other
// programs used. Unlike the other checks it is asked for by name: where it does
// not hold, CPU/query is not the version's alone.
const CheckOthers = "others"
