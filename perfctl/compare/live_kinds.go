package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// apart are the status counters of the Com_ family that are no part of the sum
// of statements. Seen in MariaDB 10.11: EXECUTE counts in questions,
// com_execute_sql, com_stmt_execute and com_select; EXECUTE IMMEDIATE in
// com_stmt_prepare and com_stmt_close too. Preparing and closing by the
// protocol, pings and the like are no questions (MySQL manual, "Server Status
// Variables", Questions).
var apart = map[string]string{
	"com_stmt_execute":        "of these, prepared executions",
	"com_stmt_prepare":        "statements prepared",
	"com_stmt_close":          "prepared statements closed",
	"com_stmt_reset":          "prepared statements reset",
	"com_stmt_reprepare":      "statements prepared again",
	"com_stmt_fetch":          "fetches from cursors",
	"com_stmt_send_long_data": "long parameters sent",
	"com_execute_sql":         "of these, by EXECUTE",
	"com_execute_immediate":   "of these, by EXECUTE IMMEDIATE",
	"com_admin_commands":      "pings and other commands",
}

// kindLabels are the statements whose counters are not named by their words.
var kindLabels = map[string]string{
	"com_set_option":     "SET",
	"com_change_db":      "USE",
	"com_call_procedure": "CALL",
	"com_prepare_sql":    "PREPARE",
	"com_dealloc_sql":    "DEALLOCATE PREPARE",
	"com_update_multi":   "UPDATE of several tables",
	"com_delete_multi":   "DELETE from several tables",
	"com_empty_query":    "empty",
	queryCacheHits:       "SELECT from the query cache",
}

// queryCacheHits are questions that no Com_ counter counts.
const queryCacheHits = "qcache_hits"

func kindLabel(name string) string {
	for _, labels := range []map[string]string{apart, kindLabels} {
		if l := labels[name]; l != "" {
			return l
		}
	}
	return strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(name, "com_"), "_", " "))
}

// addKinds takes the server's counts of statements by kind. Counters that did
// not move are left out; what is void is last, with its reason.
func (t *LiveTables) addKinds(w result.Window) {
	statements, known := find(w, "questions", result.SourceServer)
	if known = known && statements.State.Usable() && statements.Value != nil; known {
		t.Statements = statements.Value
	}
	sum := 0.0
	for _, r := range w.Readings {
		if r.Source != result.SourceServer || (!strings.HasPrefix(r.Name, "com_") && r.Name != queryCacheHits) {
			continue
		}
		k := Kind{Name: r.Name, Label: kindLabel(r.Name), State: r.State, Reason: r.Reason, Apart: apart[r.Name] != ""}
		if a := amountOf(r).and(doubt(w)); a.state.Usable() {
			if a.value == 0 {
				continue
			}
			k.Count, k.State, k.Reason = &a.value, a.state, a.reason
			if !k.Apart {
				sum += a.value
			}
		}
		t.Kinds = append(t.Kinds, k)
	}
	if rest := value(t.Statements) - sum; known && len(t.Kinds) > 0 {
		switch {
		case rest > 0:
			t.Kinds = append(t.Kinds, Kind{Name: "other", Label: "other", Count: &rest, State: statements.State, Reason: statements.Reason})
		case rest < -0.001*sum:
			t.Warnings = append(t.Warnings, result.Warning{Code: "stored_programs", Text: fmt.Sprintf(
				"the server counted %.0f more statements by kind than clients sent (stored programs and events run some), so shares add up to more than 100%%", -rest)})
		}
	}
	for i := range t.Kinds {
		k := &t.Kinds[i]
		if k.Count != nil {
			k.PerSecond = over(*k.Count, t.Seconds)
			if known {
				k.Share = over(*k.Count, *t.Statements)
			}
		}
	}
	slices.SortStableFunc(t.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(kindPlace(a), kindPlace(b)), cmp.Compare(value(b.Count), value(a.Count)), cmp.Compare(a.Name, b.Name))
	})
	if len(t.Kinds) == 0 {
		t.KindsLack = lackOf(w, "", "mysqlstatus")
	}
}

// kindPlace: statements, the rest of them, what is apart, what is void.
func kindPlace(k Kind) int {
	switch {
	case k.Count == nil:
		return 3
	case k.Apart:
		return 2
	case k.Name == "other":
		return 1
	}
	return 0
}

func value(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// voided names the server's counters that went backwards or were reset in the
// window: what they would have said is void.
func voided(w result.Window) (ws []result.Warning) {
	for _, s := range []struct {
		state result.State
		is    string
	}{{result.Failed, "void"}, {result.Partial, "partial"}} {
		var names []string
		first := ""
		for _, r := range w.Readings {
			told := strings.HasPrefix(r.Name, lostCollector) || strings.HasPrefix(r.Name, "digest_") // see lackOf
			if r.Source == result.SourceServer && r.State == s.state && !told {
				names = append(names, r.Name)
				first = cmp.Or(first, r.Reason)
			}
		}
		switch n := len(names); {
		case n == 1:
			ws = append(ws, result.Warning{Code: s.is, Text: fmt.Sprintf("%s is %s: %s", names[0], s.is, first)})
		case n > 1:
			ws = append(ws, result.Warning{Code: s.is, Text: fmt.Sprintf("%d of the server's counters are %s (%s); the first: %s", n, s.is, strings.Join(names, ", "), first)})
		}
	}
	return ws
}
