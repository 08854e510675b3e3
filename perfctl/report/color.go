package report

import "opcost/perfctl/compare"

// style is a terminal's way to set text off, as its escape sequence's number.
type style string

const (
	none   style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// painter sets text off, or leaves it as it is.
func painter(on bool) func(style, string) string {
	if !on {
		return func(_ style, s string) string { return s }
	}
	return func(st style, s string) string {
		if st == none || s == "" {
			return s
		}
		return "\x1b[" + string(st) + "m" + s + "\x1b[0m"
	}
}

func verdictStyle(v compare.Verdict) style {
	switch v {
	case compare.Slower:
		return red
	case compare.Faster:
		return green
	case compare.Unsure:
		return yellow
	}
	return none
}
