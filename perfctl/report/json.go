package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// writeJSON writes the report as it is; maps come sorted by name. The text is
// what an encoder makes of the whole report, but no more than a few rows are in
// memory.
func writeJSON(w io.Writer, r compare.Report, rows iter.Seq[printed], warnings func() []result.Warning) error {
	head := indented(struct {
		Schema   int      `json:"schema"`
		Base     string   `json:"base"`
		Versions []string `json:"versions"`
	}{r.Schema, r.Base, r.Versions}, "")
	if head.err != nil {
		return head.err
	}
	if _, err := fmt.Fprintf(w, "%s,\n  \"rows\": [", bytes.TrimSuffix(head.text, []byte("\n}"))); err != nil {
		return err
	}
	between, end := "", "]"
	for p := range rows {
		if p.err != nil {
			return p.err
		}
		if _, err := fmt.Fprintf(w, "%s\n    %s", between, p.text); err != nil {
			return err
		}
		between, end = ",", "\n  ]"
	}
	last := indented(append([]result.Warning{}, warnings()...), "  ")
	if last.err != nil {
		return last.err
	}
	_, err := fmt.Fprintf(w, "%s,\n  \"warnings\": %s\n}\n", end, last.text)
	return err
}

func jsonRow(row compare.Row) printed { return indented(row, "    ") }

// indented is a value's text, without the line's end, with what its further
// lines begin with.
func indented(v any, prefix string) printed {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent(prefix, "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return printed{bytes.TrimSuffix(b.Bytes(), []byte("\n")), err}
}
