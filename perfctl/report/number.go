package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
)

// number writes a value for people: four significant digits or whole units,
// thousands separated, millions and more shortened.
func number(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a >= 999_999.5:
		for _, s := range []struct {
			size float64
			name string
		}{{1e6, "M"}, {1e9, "G"}, {1e12, "T"}} {
			if a < 999.95*s.size || s.name == "T" {
				return significant(v/s.size) + s.name
			}
		}
		return ""
	case a >= 999.95:
		return thousands(strconv.FormatFloat(math.Round(v), 'f', 0, 64))
	default:
		return significant(v)
	}
}

// significant writes a number below 1000 with four significant digits, one
// below 1 with three.
func significant(v float64) string {
	switch a := math.Abs(v); {
	case a >= 99.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 9.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case a >= 0.9995:
		return strconv.FormatFloat(v, 'f', 3, 64)
	case a >= 0.000_999_5:
		places := 2 - int(math.Floor(math.Log10(a*1.0005)))
		return strconv.FormatFloat(v, 'f', places, 64)
	default:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
}

func thousands(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// plusMinus writes an interval as the larger of its two half-widths, in percent
// of the value; "" where there is none.
func plusMinus(m compare.M) string {
	if m.Value == nil || m.Low == nil || m.High == nil || *m.Value == 0 {
		return ""
	}
	v := *m.Value
	p := 100 * max(math.Abs(*m.High-v), math.Abs(v-*m.Low)) / math.Abs(v)
	switch {
	case p < 1e-9: // but for the rounding of logarithms
		return "±0%"
	case p < 0.005:
		return "±0.01%" // less
	case p < 0.095:
		return fmt.Sprintf("±%.2f%%", p)
	case p < 9.95:
		return fmt.Sprintf("±%.1f%%", p)
	default:
		return fmt.Sprintf("±%.0f%%", p)
	}
}

// ratio writes a ratio with its interval: with a third decimal where the
// interval is narrow enough to show in it.
func ratio(r compare.R) string {
	places := 2
	if r.Low != nil && r.High != nil && *r.High-*r.Low < 0.02 {
		places = 3
	}
	switch {
	case r.Ratio >= 100:
		places = 0
	case r.Ratio >= 10:
		places = 1
	case r.Ratio < 0.1:
		places = 3
	}
	f := func(x float64) string { return strconv.FormatFloat(x, 'f', places, 64) }
	if r.Low == nil || r.High == nil {
		return f(r.Ratio)
	}
	return fmt.Sprintf("%s [%s, %s]", f(r.Ratio), f(*r.Low), f(*r.High))
}
