package mysqlstatus

import "testing"

// TestShare: of seven statements of ours in a window, three are SHOW GLOBAL
// STATUS (at the end, and one at each edge to count operations), four selects.
func TestShare(t *testing.T) {
	w := window{shows: 3, cost: map[string]float64{"handler_read_rnd_next": 500}}
	w.end.statements = 7
	for _, c := range []struct {
		name          string
		quiet         bool
		known, unsure float64
	}{
		{"questions", false, 7, 0},
		{"com_show_status", false, 3, 0},
		{"com_select", false, 4, 0},
		{"handler_read_rnd_next", false, 0, 1500},
		{"handler_read_rnd_next", true, 1500, 0},
		{"innodb_data_reads", false, 0, 0},
	} {
		w.quiet = c.quiet
		if known, unsure := w.share(c.name); known != c.known || unsure != c.unsure {
			t.Errorf("%s, quiet %v: %v, %v; want %v, %v", c.name, c.quiet, known, unsure, c.known, c.unsure)
		}
	}
	one := window{}
	one.end.statements = 1
	if known, _ := one.share("com_select"); known != 0 {
		t.Errorf("a window with our SHOW alone: %v selects", known)
	}
}
