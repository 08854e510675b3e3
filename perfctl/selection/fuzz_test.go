package selection

import (
	"strings"
	"testing"

	"opcost/perfctl/result"
	"opcost/testbed/linear"
)

// Whatever a person writes: what is understood picks a run made of it, and what
// is not is an error that shows it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"8.0.28", "night:8.0.28,workload=random-points_range=10,clients=4,clients=1", "a:b:v", ",,", "=", "version=,", "clients=99999999999999999999", "workload=a,b", ":", "v,host=\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text, func(dir string) bool { return dir == "night" || dir == "a:b" })
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if s.String() != text || s.Dir != "" && s.Dir != "night" && s.Dir != "a:b" {
			t.Errorf("%q became %+v", text, s)
		}
		r := result.Run{Version: s.Version, Workload: s.Workload, Host: s.Host, Protocol: s.Protocol, Driver: s.Driver, Clients: 1}
		if len(s.Clients) > 0 {
			r.Clients = s.Clients[len(s.Clients)-1]
		}
		if !s.Match(r) {
			t.Errorf("%q does not pick %+v", text, r)
		}
		if _, err := s.Pick([]result.Run{{Version: s.Version + "x", Workload: "w", Clients: 1}}); s.Version != "" && err == nil {
			t.Errorf("%q picks another version", text)
		}
	})
}

func TestManyFields(t *testing.T) {
	linear.Check(t, func(bytes int) string { return "v" + strings.Repeat(",clients=4,host=a", bytes/17) }, func(s string) {
		if _, err := Parse(s, func(string) bool { return false }); err != nil {
			t.Error(err)
		}
	})
}
