package callgrind

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"opcost/profiles"
)

// unnamed is what callgrind writes for a function without a name: its address,
// at least 8 digits of it (callgrind/fn.c), " [Plt]" and the like behind it.
var unnamed = regexp.MustCompile(`^0x([0-9a-f]{8,16})( \[\w+\])?$`)

func frame(f *Function) profiles.Frame {
	fr := profiles.Frame{Object: known(f.Object), Space: profiles.User}
	name, level := recursion(f.Name)
	fr.Recursion = level
	if m := unnamed.FindStringSubmatch(name); m != nil {
		if a, err := strconv.ParseUint(m[1], 16, 64); err == nil {
			fr.Address = a
			return fr
		}
	}
	fr.Function = known(name)
	return fr
}

// known is a name, "" for valgrind's word for an unknown one.
func known(name string) string {
	if name == "???" {
		return ""
	}
	return name
}

// recursion parts "f'2" into the name and the depth of the recursion, which
// callgrind writes from 2.
func recursion(name string) (string, uint16) {
	i := strings.LastIndexByte(name, '\'')
	if i <= 0 || name[i+1:] == "" || strings.Trim(name[i+1:], "0123456789") != "" {
		return name, 0
	}
	n, err := strconv.Atoi(name[i+1:])
	if err != nil || n < 2 || n > math.MaxUint16 || name[i+1] == '0' {
		return name, 0
	}
	return name[:i], uint16(n)
}
