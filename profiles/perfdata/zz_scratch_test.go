package perfdata

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"opcost/profiles/perfscript"

	"golang.org/x/sys/unix"
)

func TestZZScratch(t *testing.T) {
	data := os.Getenv("S8_DATA")
	if data == "" {
		t.Skip()
	}
	argv := append(strings.Fields(os.Getenv("S8_PREFIX")), arguments(data, Options{Perf: "perf"}, "", fields)...)
	before, self := cpu(unix.RUSAGE_CHILDREN), cpu(unix.RUSAGE_SELF)
	began := time.Now()
	set, _, err := run(context.Background(), argv, perfscript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("wall %v, CPU perf %v, reader %v; %d stacks", time.Since(began), cpu(unix.RUSAGE_CHILDREN)-before, cpu(unix.RUSAGE_SELF)-self, len(set.Profiles[0].Stacks))
}

func TestZZParse(t *testing.T) {
	text := os.Getenv("S8_TEXT")
	if text == "" {
		t.Skip()
	}
	f, err := os.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	self := cpu(unix.RUSAGE_SELF)
	var in io.Reader = f
	if _, err := perfscript.Parse(in, perfscript.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Logf("parse CPU %v", cpu(unix.RUSAGE_SELF)-self)
}
