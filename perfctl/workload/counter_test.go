package workload

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCounter(t *testing.T) {
	ctx := context.Background()
	file := filepath.Join(t.TempDir(), "count")
	write := func(s string) {
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []string{file, "cat " + file} {
		c := &Counter{From: from}
		for i, want := range []int64{41, 1041} {
			write([]string{"ops: 41 of many\n", "ops: 1041 of 2\n"}[i])
			got, err := c.Read(ctx)
			if err != nil || got.End != want || got.Per != "operation" {
				t.Errorf("%q: %+v, %v; want %d", from, got, err, want)
			}
			if (got.Uncertainty > 0) != (i == 1) {
				t.Errorf("%q, reading %d: uncertainty %v", from, i, got.Uncertainty)
			}
		}
		write("7")
		if _, err := c.Read(ctx); err == nil || !strings.Contains(err.Error(), "7 came after 1041") {
			t.Errorf("%q went backwards: %v", from, err)
		}
	}
	for from, want := range map[string]string{
		"echo none":                   "no whole number in the 5 bytes",
		"echo sorry >&2; exit 3":      "sorry",
		filepath.Join(file, "no/way"): "neither a file nor a command that works",
		"echo 99999999999999999999":   "no whole number",
	} {
		if _, err := (&Counter{From: from}).Read(ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", from, err, want)
		}
	}
}
