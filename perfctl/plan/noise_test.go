package plan

import "testing"

func TestNoiseFloor(t *testing.T) {
	text := "versions: [{name: a, mysqld: mariadbd}, {name: b, mysqld: mariadbd}]\nworkloads: [point-query]\nbase: b\nbudget: 1h\n"
	p := mustParse(t, text)
	n := p.NoiseFloor()
	if len(n.Versions) != 1 || n.Versions[0].Name != "b" || n.Base != "b" || n.Repeats != 6 || n.Budget != 0 {
		t.Errorf("%+v", n)
	}
	if n.Hash == p.Hash || len(n.Hash) != len(p.Hash) || n.Hash != mustParse(t, text).NoiseFloor().Hash {
		t.Errorf("hash %s, of the plan %s", n.Hash, p.Hash)
	}
	if len(p.Versions) != 2 || p.Repeats != 4 {
		t.Error("the plan itself was changed")
	}
	if n := mustParse(t, with("repeats: 9\n")).NoiseFloor(); n.Repeats != 9 {
		t.Errorf("%d starts, want the plan's 9", n.Repeats)
	}
}

// A budget says how many starts are made, not what one is: a longer one goes on
// where a shorter one ended.
func TestBudgetIsNoPartOfTheHash(t *testing.T) {
	a, b := mustParse(t, with("budget: 1h\n")), mustParse(t, with("budget: 2h\n"))
	if a.Hash != b.Hash || a.Hash != mustParse(t, with("")).Hash {
		t.Error("the budget changes the hash")
	}
}
