package perfctl

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/workload"
)

// A write that was refused for want of room ends a run also where the disk, when
// it is asked, has some; how much was free then is not known.
func TestBecause(t *testing.T) {
	folder, err := result.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	r := &runner{opts: RunOptions{Folder: folder, Work: t.TempDir()}}
	refused := fmt.Errorf("load: %w", &fs.PathError{Op: "write", Path: "f", Err: syscall.EDQUOT})
	for _, c := range []struct {
		err  error
		want []string // nil: it is none of the disk's
	}{
		{nil, nil}, {errors.New("it failed"), nil},
		{refused, []string{"load: write f", r.opts.Work, "a quota is used up", "give --work DIR"}},
		{&NoRoom{"/w", serversData, 5 << 10}, []string{"5 kB are free"}},
	} {
		got := r.because(c.err)
		if !errors.Is(got, c.err) || CannotGoOn(got) != (c.want != nil) {
			t.Errorf("%v: %v", c.err, got)
		}
		for _, w := range c.want {
			if !strings.Contains(got.Error(), w) {
				t.Errorf("%v lacks %q", got, w)
			}
		}
		if c.err == refused && strings.Contains(got.Error(), " kB are free") {
			t.Errorf("%v: nobody has seen how much was free", got)
		}
	}
}

// Data whose making or putting back failed are not what a next start may take for
// the loaded ones.
func TestDataAreUnknownAfterFailure(t *testing.T) {
	p := &plan.Plan{Versions: []plan.Version{{Name: "a"}}}
	for _, kind := range []string{server.RestoreAuto, server.RestoreReplay} {
		p.Restore.Kind = kind
		l := &live{site: &site{Site: &server.Site{}, past: []Past{{Repeat: 7}}}} // that has no data
		r := &runner{plan: p, clock: newClock(costs{plan: p}, nil)}
		s := Start{Cells: []Cell{{Test: workload.Test{ID: "scan"}, Clients: 1}}} // of a past that is not this one
		if err := r.ready(t.Context(), l, s); err == nil || !l.site.dirty {
			t.Errorf("%s: %v, dirty: %v", kind, err, l.site.dirty)
		}
	}
}
