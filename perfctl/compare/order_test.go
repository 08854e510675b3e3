package compare

import (
	"slices"
	"testing"

	"opcost/perfctl/result"
)

func TestReleaseOf(t *testing.T) {
	for _, c := range []struct {
		name, flavor, number string // of the version; of its server
		wantFlavor           string
		want                 []int
	}{
		{"nobl", "mariadb", "10.11.19", "mariadb", []int{10, 11, 19}},
		{"x.my5651_rel_o2nofp.z11a_c32r128.pk1", "", "", "mysql", []int{5, 6, 51}},
		{"x.my8028_rel.z11a", "", "", "mysql", []int{8, 0, 28}},
		{"x.ma101114_rel_withdbg.z12a", "", "", "mariadb", []int{10, 11, 14}},
		{"x.ma110803_rel", "", "", "mariadb", []int{11, 8, 3}},
		{"8.0.28", "", "", "", []int{8, 0, 28}},
		{"mysql-9.5.0", "", "", "mysql", []int{9, 5, 0}},
		{"mariadb-10.6", "", "", "mariadb", []int{10, 6}},
		{"nobl", "", "", "", nil},
		{"c32r128", "", "", "", nil}, // numbers of the configuration
		{"10.11", "", "none", "", []int{10, 11}},
	} {
		got := releaseOf(result.Run{Version: c.name, Server: result.Server{Flavor: c.flavor, Number: c.number}})
		if got.flavor != c.wantFlavor || !slices.Equal(got.number, c.want) {
			t.Errorf("%s (%s %s): %+v, want %s %v", c.name, c.flavor, c.number, got, c.wantFlavor, c.want)
		}
	}
}

func TestByNumber(t *testing.T) {
	versions := []string{"10.11.2", "zz", "8.0.28", "8.0.4", "5.6.51", "aa", "9.5.0"}
	var runs []result.Run
	for _, v := range versions {
		runs = append(runs, result.Run{Version: v})
	}
	want := []string{"5.6.51", "8.0.4", "8.0.28", "9.5.0", "10.11.2", "zz", "aa"} // those without a number stay as they are
	if got := byNumber(versions, releases(runs)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i := range runs {
		if runs[i].Version == "10.11.2" {
			runs[i].Server.Flavor = "mariadb"
		} else {
			runs[i].Server.Flavor = "mysql"
		}
	}
	if r := releases(runs); r["10.11.2"].series(r["9.5.0"]) || !r["8.0.28"].series(r["9.5.0"]) {
		t.Error("MariaDB does not follow MySQL, and 9.5 follows 8.0")
	}
}

// The order of the rows in the files of January to December 2025.
func TestWorkloadOrder(t *testing.T) {
	want := []string{"hot-points", "point-query", "points-covered-pk", "points-covered-si", "points-notcovered-pk", "points-notcovered-si",
		"random-points_range=1000", "random-points_range=100", "random-points_range=10", "another"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, func(a, b string) int { return workloadOrder("point", a, "point", b) })
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if workloadOrder("write", "a", "range-agg", "z") < 0 || workloadOrder("range", "z", "other", "a") > 0 {
		t.Error("groups are point, range, range-agg, write, then others")
	}
}
