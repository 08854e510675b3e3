package folded

import (
	"errors"
	"fmt"
	"math"
)

// one is the unit that fractions of counts are told in.
const one = 1_000_000_000

var errNegative = errors.New("below 0")

// count reads 12, or 31.25: whole units and a fraction in 1/one.
func count(b []byte) (whole, fraction int64, err error) {
	bad := fmt.Errorf("%q is no count", b[:min(len(b), 40)])
	if len(b) > 1 && b[0] == '-' {
		if _, _, err := count(b[1:]); err == nil {
			return 0, 0, errNegative
		}
		return 0, 0, bad
	}
	i := 0
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		d := int64(b[i] - '0')
		if whole > (math.MaxInt64-d)/10 {
			return 0, 0, bad
		}
		whole = whole*10 + d
	}
	if i == 0 {
		return 0, 0, bad
	}
	if i == len(b) {
		return whole, 0, nil
	}
	if b[i] != '.' || i+1 == len(b) {
		return 0, 0, bad
	}
	for unit := int64(one / 10); i+1 < len(b); unit /= 10 {
		i++
		if b[i] < '0' || b[i] > '9' {
			return 0, 0, bad
		}
		fraction += unit * int64(b[i]-'0')
	}
	return whole, fraction, nil
}
