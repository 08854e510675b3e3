package perfscript

// Options say what to keep of a sample. The zero value keeps threads by name.
type Options struct {
	Threads Threads
	// BuildIDs are the build ids (hex) of objects, by the name that a frame's
	// object has in the text. nil where they are not known.
	BuildIDs map[string]string
}

// Threads says what makes two threads one. A pid that the text does not tell is
// written as ?; where a sample has one number, it is taken for the thread's.
type Threads uint8

const (
	ByName    Threads = iota // the name alone: all "connection" threads are one
	ByProcess                // name-pid
	ByThread                 // name-pid/tid
)
