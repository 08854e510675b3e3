package perfctl

import (
	"context"
	"fmt"
	"strings"

	"opcost/collectors"
	"opcost/perfctl/result"
	"opcost/perfctl/window"
)

// units are what can be an operation, by the server's status. A prepared
// execution counts in Questions, Com_stmt_execute and Com_select at once, so
// each unit takes one of them.
var units = []struct {
	per   string
	names []string
	own   bool
}{
	{"statement", []string{"Questions"}, true},
	{"transaction", []string{"Com_commit", "Com_rollback"}, false}, // explicit ones
	{"select", []string{"Com_select"}, false},                      // ours are read outside the count
	{"insert", []string{"Com_insert", "Com_insert_select", "Com_replace"}, false},
	{"update", []string{"Com_update", "Com_update_multi"}, false},
	{"delete", []string{"Com_delete", "Com_delete_multi"}, false},
	{"row", []string{"Innodb_rows_read"}, false},
}

// Units are the names that [OpsBy] knows.
func Units() []string {
	var names []string
	for _, u := range units {
		names = append(names, u.per)
	}
	return names
}

// OpsBy counts operations of a kind by the server's status. A name that is no
// unit is taken for a status variable, as Com_call_procedure.
func OpsBy(per string, sql collectors.Querier) (window.Ops, error) {
	for _, u := range units {
		if u.per == per {
			return &StatusOps{SQL: sql, Per: per, Names: u.names, Own: u.own}, nil
		}
	}
	if !strings.Contains(per, "_") || strings.ContainsAny(per, "'\\%;\" ") {
		return nil, fmt.Errorf("--per %s: give one of %s, or a status variable as Com_call_procedure", per, strings.Join(Units(), ", "))
	}
	return &StatusOps{SQL: sql, Per: strings.ToLower(per), Names: []string{per}}, nil
}

// Seconds is a window without operations: its counters are told per second.
type Seconds struct{}

// PerSecond is the unit of such a window; its length is the divisor.
const PerSecond = "second"

// Read counts nothing.
func (Seconds) Read(context.Context) (result.OpCount, error) {
	return result.OpCount{Source: result.SourceHost, Per: PerSecond}, nil
}
