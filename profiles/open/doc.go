// Package open reads a profile of any format that is read at all: it tells the
// format by the content, never by the name, and hands the file to the room that
// reads it. It understands no format itself.
package open
