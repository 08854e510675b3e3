package mysqlslap

import (
	"fmt"
	"strings"
	"testing"
)

const block = `Benchmark
	Running for engine innodb
	Average number of seconds to run all queries: 2.500 seconds
	Minimum number of seconds to run all queries: 2.250 seconds
	Maximum number of seconds to run all queries: 2.750 seconds
	Number of clients running queries: 4
	Average number of queries per client: 250

`

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, in, want, err string }{
		{"text", block, "[{innodb 0 2.5 2.25 2.75 4 250}]", ""},
		{"with its heading", "Running mysqlslap with concurrency=4 and iterations=3\n" + block + "Done\n", "[{innodb 3 2.5 2.25 2.75 4 250}]", ""},
		{"windows line ends", strings.ReplaceAll(block, "\n", "\r\n"), "[{innodb 0 2.5 2.25 2.75 4 250}]", ""},
		{"csv", "mysqlslap: [Warning] Using a password\ninnodb,mixed,2.500,2.250,2.750,4,250\n,mixed,0.015,0.013,0.028,1,10\n", "[{innodb 0 2.5 2.25 2.75 4 250} { 0 0.015 0.013 0.028 1 10}]", ""},
		{"cut off", strings.Join(strings.Split(block, "\n")[:4], "\n"), "", `before its line "Maximum number of seconds"`},
		{"two, the first cut off", strings.Join(strings.Split(block, "\n")[:4], "\n") + "\n" + block, "", "is the output cut?"},
		{"no number", strings.Replace(block, "2.500", "many", 1), "", "is no number"},
		{"a negative time", strings.Replace(block, "2.500", "-2.5", 1), "", "is no number"},
		{"csv of something else", "a,b,c,d,e,f,g\n", "", "a column that is no number"},
		{"empty", "", "", "no block"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bs, _, err := Parse(strings.NewReader(tt.in))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if got := fmt.Sprint(bs); err == nil && got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBlock(t *testing.T) {
	if n, ok := (Block{Clients: 4, PerClient: 250}).Queries(); n != 1000 || !ok {
		t.Error(n, ok)
	}
	if n, ok := (Block{Clients: 400}).Queries(); n != 0 || ok {
		t.Error("fewer queries than clients: not known", n, ok)
	}
	if u := (Block{Avg: 0.05}).Unsure(); u != 0.02 {
		t.Error(u)
	}
	if u := (Block{}).Unsure(); u <= 1 {
		t.Error(u)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(block)
	f.Add("innodb,mixed,2.500,2.250,2.750,4,250\n")
	f.Fuzz(func(t *testing.T, in string) {
		bs, _, err := Parse(strings.NewReader(in))
		if (err == nil) != (len(bs) > 0) {
			t.Errorf("%d blocks, %v", len(bs), err)
		}
		for _, b := range bs {
			if b.Avg < 0 || b.Clients < 0 || b.PerClient < 0 {
				t.Errorf("%+v", b)
			}
		}
	})
}
