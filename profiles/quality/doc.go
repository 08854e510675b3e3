// Package quality says how far a profile may be trusted: each check is a number
// beside its limit, and beyond the limit what to do. docs/profiles.md has a
// section for each.
//
// It reads the profile and nothing else, and changes no number.
package quality
