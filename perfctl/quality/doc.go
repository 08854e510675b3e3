// Package quality looks at a whole window and says how far its numbers may be
// trusted: each check is a number beside its limit. It reads a window's
// readings and nothing else; it changes no value, and a check whose readings
// are absent is absent too.
package quality
