package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"opcost/perfctl/noise"
	"opcost/perfctl/result"
)

func TestWriteNoise(t *testing.T) {
	entries := []noise.Entry{
		{Machine: noise.Machine{Host: "h", CPUModel: "a CPU", CPUs: 2, Kernel: "6.1"}, Group: "point", Clients: 4, Metric: "cpu_us_per_query",
			Source: result.SourceProc, Scope: result.UserKernel, SD: 0.0123, DF: 25, Cells: 5},
		{Machine: noise.Machine{Host: "h", CPUModel: "a CPU", CPUs: 2, Kernel: "6.1"}, Group: "point", Clients: 4, Metric: "handler_read_key_per_query",
			Source: result.SourceServer, SD: 0.5, DF: 25, Cells: 5},
	}
	written := func(f Format) string {
		var b bytes.Buffer
		if err := WriteNoise(&b, f, entries); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	table := strings.Join(strings.Fields(written(Table)), " ")
	for _, want := range []string{"on h (a CPU, 2 CPUs, kernel 6.1)", "CPU/query point, 4 clients 1.2% 25 proc, user+kernel"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in %s", want, table)
		}
	}
	if strings.Contains(table, "handler") {
		t.Error("the table shows a metric that other tables do not")
	}
	if md := written(Markdown); !strings.Contains(md, "| CPU/query | point, 4 clients | 1.2% | 25 | proc, user+kernel |") {
		t.Error(md)
	}
	all, err := csv.NewReader(strings.NewReader(written(CSV))).ReadAll()
	if err != nil || len(all) != 3 || all[1][9] != "0.0123" || all[2][6] != "handler_read_key_per_query" {
		t.Errorf("%v, %v", all, err)
	}
	var doc struct {
		Schema  int
		Entries []noise.Entry
	}
	if err := json.Unmarshal([]byte(written(JSON)), &doc); err != nil || doc.Schema != 1 || doc.Entries[0] != entries[0] {
		t.Errorf("%+v, %v", doc, err)
	}
	if WriteNoise(&bytes.Buffer{}, "odd", entries) == nil {
		t.Error("no error for a format that is not there")
	}
}
