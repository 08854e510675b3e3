package smalldatum

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Test is what the name of a test tells.
type Test struct {
	Name    string // point-query, point-query.pre, scan.warm
	Range   int    // of the name; 0 where it has none
	Clients int    // 0 where the name lacks it
	Load    bool   // the load of the tables, and no test
}

var (
	rowTest   = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9.-]*)_range=(\d{1,9})$`)
	blockTest = regexp.MustCompile(`^sb\.(met|r\.qps|prepare\.met|prepare\.o)\.([A-Za-z][A-Za-z0-9.-]*?)\.range(\d{1,9})(?:\.pk\d)?(?:\.dop(\d{1,5}))?$`)
)

// ParseTest reads a test's name as the tables print it.
func ParseTest(s string) (Test, bool) {
	if m := rowTest.FindStringSubmatch(s); m != nil {
		return Test{Name: m[1], Range: atoi(m[2])}, true
	}
	if m := blockTest.FindStringSubmatch(s); m != nil {
		return Test{Name: m[2], Range: atoi(m[3]), Clients: atoi(m[4]), Load: strings.HasPrefix(m[1], "prepare")}, true
	}
	return Test{}, false
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // digits, or empty
	return n
}

// Server is what the name of a server tells: x.my5651_rel_o2nofp.z12a_c8r32.pk1.
type Server struct {
	Raw     string // the name, but for the clients
	Flavor  string // mysql, mariadb, postgresql; "" where not known
	Number  string // 5.6.51; "" where not known
	Clients int    // of a name that ends in _48u; else 0
	// Rest are the other parts of the name: build, configuration.
	Rest []string
}

var (
	product     = regexp.MustCompile(`^(fbmy|my|ma|pg|rx)(\d{2,6})$`)
	usersSuffix = regexp.MustCompile(`_(\d{1,5})u$`)
	numberOnly  = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3})+$`)
	spelledOut  = regexp.MustCompile(`(?i)^(mysql|mariadb|postgres(?:ql)?)\b.*?(\d+(?:\.\d+)+)`)
)

// ParseServer reads a server's name. The digits behind the product are the
// release without points: my5651 is 5.6.51, ma110803 11.8.3, pg1110 11.10.
func ParseServer(raw string) Server {
	s := Server{Raw: raw}
	name := strings.TrimPrefix(raw, "x.")
	if m := usersSuffix.FindStringSubmatch(name); m != nil {
		s.Clients = atoi(m[1])
		name, s.Raw = strings.TrimSuffix(name, m[0]), strings.TrimSuffix(raw, m[0])
	}
	if numberOnly.MatchString(name) {
		s.Number = name
		return s
	}
	if m := spelledOut.FindStringSubmatch(name); m != nil {
		s.Flavor, s.Number = strings.ToLower(m[1]), m[2]
		if strings.HasPrefix(s.Flavor, "postgres") {
			s.Flavor = "postgresql"
		}
		return s
	}
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' }) {
		if m := product.FindStringSubmatch(part); m != nil && s.Number == "" {
			if number := release(m[1], m[2]); number != "" {
				s.Flavor, s.Number = flavors[m[1]], number
				if m[1] != "my" && m[1] != "ma" && m[1] != "pg" {
					s.Rest = append(s.Rest, m[1])
				}
				continue
			}
		}
		if part != "pk0" && part != "pk1" {
			s.Rest = append(s.Rest, part)
		}
	}
	return s
}

var flavors = map[string]string{"my": "mysql", "fbmy": "mysql", "rx": "mysql", "ma": "mariadb", "pg": "postgresql"}

// release puts the points into digits.
func release(product, digits string) string {
	part := func(s string) string { return fmt.Sprint(atoi(s)) }
	switch {
	case product == "ma" && len(digits) == 6:
		return part(digits[:2]) + "." + part(digits[2:4]) + "." + part(digits[4:])
	case product == "pg" && len(digits) >= 3 && len(digits) <= 4:
		return digits[:2] + "." + part(digits[2:])
	case product != "ma" && product != "pg" && len(digits) == 4:
		return digits[:1] + "." + digits[1:2] + "." + part(digits[2:])
	case product != "ma" && product != "pg" && len(digits) == 2:
		return digits[:1] + "." + digits[1:]
	}
	return ""
}
