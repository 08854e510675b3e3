// Package perfscript reads the text that `perf script` prints, as a stream,
// into profiles: one an event.
//
// A text is samples: a line that says who, when and which event, then a line a
// frame, the leaf first, then an empty line. Which fields a sample's line has
// depends on perf's version and its -F; all of them are told apart by their
// form. Names stay as perf prints them, but for the offset (+0x1f) behind.
//
// Memory grows with distinct threads, frames and stacks, not with the text's length.
//
// It must not start perf (perfdata does), open files, or resolve addresses.
package perfscript
