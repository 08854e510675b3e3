package report

import (
	"math"
	"testing"

	"opcost/perfctl/compare"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1.000", 0.5: "0.500", 0.0123: "0.0123", 0.00123: "0.00123", 0.000123: "0.000123", 1.5e-7: "1.5e-07",
		9.9996: "10.00", 12.345: "12.35", 99.996: "100.0", 123.45: "123.5", 999.94: "999.9", 999.96: "1,000",
		1234.5: "1,235", 44391: "44,391", 999999: "999,999", 999999.7: "1.000M", 10234567: "10.23M", 2.5e9: "2.500G", 7e14: "700.0T",
		-1234: "-1,234", -0.25: "-0.250", 0.9996: "1.000", 0.09996: "0.100",
	} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		low, value, high float64
		want             string
	}{
		{997, 1000, 1002, "±0.3%"}, {880, 1000, 1100, "±12%"}, {999.8, 1000, 1000.2, "±0.02%"},
		{1000, 1000, 1000, "±0%"}, {999.99, 1000, 1000, "±0.01%"}, {1, 2, 8, "±300%"}, {0, 0, 0, ""},
	} {
		if got := plusMinus(compare.M{Value: &c.value, Low: &c.low, High: &c.high}); got != c.want {
			t.Errorf("%v [%v, %v]: %s, want %s", c.value, c.low, c.high, got, c.want)
		}
	}
	one := 1.0
	if got := plusMinus(compare.M{Value: &one}); got != "" {
		t.Errorf("no interval: %q", got)
	}
}

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		low, ratio, high float64
		want             string
	}{
		{1.705, 1.72, 1.734, "1.72 [1.71, 1.73]"}, {0.998, 1.003, 1.0084, "1.003 [0.998, 1.008]"},
		{9, 12.34, 20, "12.3 [9.0, 20.0]"}, {90, 123.4, 200, "123 [90, 200]"}, {0.01, 0.05, 0.09, "0.050 [0.010, 0.090]"},
	} {
		if got := ratio(compare.R{Ratio: c.ratio, Low: &c.low, High: &c.high}); got != c.want {
			t.Errorf("%v: %s, want %s", c.ratio, got, c.want)
		}
	}
	if got := ratio(compare.R{Ratio: 1.716}); got != "1.72" {
		t.Errorf("no interval: %s", got)
	}
}

func TestLetters(t *testing.T) {
	for i, want := range map[int]string{0: "a", 25: "z", 26: "aa", 27: "ab", 51: "az", 52: "ba"} {
		if got := letter(i); got != want {
			t.Errorf("letter(%d) = %s, want %s", i, got, want)
		}
	}
}

func FuzzNumber(f *testing.F) {
	for _, v := range []float64{0, 1, -1, 1e300, 1e-300, 999.95} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		if !math.IsNaN(v) && number(v) == "" {
			t.Errorf("number(%v) is empty", v)
		}
	})
}
