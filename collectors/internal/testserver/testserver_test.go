package testserver

import "testing"

func TestStart(t *testing.T) {
	s := Start(t, "--max-connections=17")
	c := s.Control(t)
	rows, err := c.Query(t.Context(), "select @@max_connections, null")
	if err != nil {
		t.Fatal(err)
	}
	if rows[0][0] != "17" || rows[0][1] != "" || c.Statements() != 1 {
		t.Errorf("rows %q, %d statements; want 17, an empty string for NULL, and 1", rows, c.Statements())
	}
	if rows, err = c.Query(t.Context(), "select count(*) from mysql.user"); err != nil || rows[0][0] == "0" {
		t.Errorf("the system tables are not there: %q, %v", rows, err)
	}
	if s.Target(t).StartTicks == 0 || ThreadOf(t, c) == 0 {
		t.Error("no start time or thread id")
	}
}
