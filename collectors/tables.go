package collectors

import "opcost/perfctl/result"

// WithDigests is an Armed that has, after Close, a table of statements beside
// its readings.
type WithDigests interface{ Digests() []result.Digest }

// WithThreads is an Armed that has, after Close, a table of threads beside its
// readings.
type WithThreads interface{ Threads() []result.Thread }

// OwnMark is an alias in statements of ours on a server that is not ours. It
// survives in the text of the statement's digest, where comments do not, so
// that our own statements can be told from the server's load.
const OwnMark = "opcost_own"
