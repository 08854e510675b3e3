package callgrind

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	format "opcost/profiles/callgrind"
)

func TestWrap(t *testing.T) {
	got := Wrapper{Valgrind: "/opt/valgrind", Dir: "/run/x"}.Wrap([]string{"numactl", "mysqld", "--no-defaults"})
	want := []string{"/opt/valgrind", "--tool=callgrind", "--instr-atstart=no", "--fair-sched=yes", "--separate-threads=yes",
		"--trace-children=yes", "--callgrind-out-file=/run/x/callgrind.out.%p", "--vgdb-prefix=/run/x/vgdb-pipe",
		"--log-file=/run/x/valgrind.%p.log", "numactl", "mysqld", "--no-defaults"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestServerOptions(t *testing.T) {
	const aio, pool = "--innodb-use-native-aio=0", "--loose-innodb-buffer-pool-size-max=1048576"
	tests := []struct {
		flavor, number string
		want           []string
	}{
		{"mariadb", "10.11.19", []string{aio, pool}},
		{"mariadb", "11.8.3", []string{aio, pool}},
		{"mariadb", "12.3.2", []string{aio, pool}},
		{"mariadb", "10.5.29", []string{aio}},
		{"mariadb", "10.9.1", []string{aio}},
		{"mysql", "5.1.73", nil}, // knows neither
		{"mysql", "5.0.96", nil},
		{"mysql", "5.6.51", []string{aio}},
		{"mysql", "9.7.0", []string{aio}},
		{"mysql", "", []string{aio}},
		{"mariadb", "strange", []string{aio, pool}},
	}
	for _, tt := range tests {
		got := ServerOptions(tt.number, tt.flavor, 1<<20)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s: -want +got\n%s", tt.flavor, tt.number, diff)
		}
	}
}

// A dump that was cut short gives no instructions, instead of too few.
func TestInstructions(t *testing.T) {
	for want, p := range map[string]format.Part{
		"no Ir":     {Events: []string{"Bc"}, Totals: []uint64{5}},
		"cut short": {Events: []string{"Ir"}},
	} {
		if n, err := instructions(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %d, %v", p, n, err)
		}
	}
	if n, err := instructions(format.Part{Events: []string{"Bc", "Ir"}, Totals: []uint64{5, 7}}); err != nil || n != 7 {
		t.Errorf("%d, %v", n, err)
	}
}
