package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// TestStreamedJSON: rows written one by one make the text of an encoder that has
// the whole report. A field that the report gets later is in it too, or this fails.
func TestStreamedJSON(t *testing.T) {
	runs := benchRuns(3)
	hostile := result.Warning{Code: "x", Text: "<&> \u2028 \"rows\": [] \\"}
	for name, r := range map[string]compare.Report{
		"two rows": compare.Build(runs, compare.Options{}),
		"one row":  compare.Build(runs[:1], compare.Options{}),
		"no row":   {Schema: 1, Base: "<a>", Versions: []string{"\"rows\": ["}, Rows: []compare.Row{}, Warnings: []result.Warning{}},
	} {
		r.Warnings = append(r.Warnings, hostile)
		var want, got bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
		if err := Write(&got, JSON, r, Layout{}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.String(), got.String()); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
	for _, f := range []Format{CSV, TSV, JSON} {
		r := compare.Build(runs, compare.Options{})
		r.Warnings = append(r.Warnings, hostile)
		var want, got bytes.Buffer
		if err := Write(&want, f, r, Layout{}); err != nil {
			t.Fatal(err)
		}
		if err := WriteRows(&got, f, compare.Open(runs, compare.Options{}), []result.Warning{hostile}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.String(), got.String()); d != "" {
			t.Errorf("%s row by row:\n%s", f, d)
		}
	}
	if err := WriteRows(&bytes.Buffer{}, Table, compare.Open(runs, compare.Options{}), nil); err == nil {
		t.Error("a table was written row by row")
	}
}
