package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// fake is a /proc of our own making with one process, number 100.
type fake struct {
	t       *testing.T
	root    string
	clockNS int64
	gone    bool
}

const pid = 100

func newFake(t *testing.T) *fake {
	f := &fake{t: t, root: t.TempDir(), clockNS: 1e9}
	f.put("self/mountinfo", fmt.Sprintf("40 30 0:37 / %s/cg rw,relatime - cgroup2 cgroup2 rw\n", f.root))
	f.put("cg/cpu.stat", "usage_usec 9\n")
	f.put("cg/db/cpu.stat", "usage_usec 9\nnr_periods 7\nnr_throttled 3\nthrottled_usec 139381\n")
	f.put("100/cgroup", "0::/db\n")
	f.put("100/io", "rchar: 10240\nwchar: 4096\nsyscr: 5\nsyscw: 2\nread_bytes: 2048\nwrite_bytes: 1024\ncancelled_write_bytes: 0\n")
	f.stat("S", 100, 50, 5, 1, 777)
	return f
}

func (f *fake) put(name, text string) {
	f.t.Helper()
	name = filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// stat has a command name made to mislead.
func (f *fake) stat(state string, user, system, minor, major, start int) {
	f.put("100/stat", fmt.Sprintf("100 (my (sql) d) S 1) %s 1 100 100 0 -1 4194304 %d 0 %d 0 %d %d 0 0 20 0 3 0 %d 186589184 16704 "+
		"18446744073709551615 1 1 0 0 0 0 0 0 8404998 0 0 0 17 1 0 0 22 0 0\n", state, minor, major, user, system, start))
}

func (f *fake) thread(tid int, vol, invol, cpu, wait uint64) {
	f.put(fmt.Sprintf("100/task/%d/status", tid), fmt.Sprintf("Name:\tx\nMems_allowed:\t1\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t%d\n", vol, invol))
	f.put(fmt.Sprintf("100/task/%d/schedstat", tid), fmt.Sprintf("%d %d 7\n", cpu, wait))
}

func (f *fake) end(tid int) {
	if err := os.RemoveAll(filepath.Join(f.root, "100/task", strconv.Itoa(tid))); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) collector() collector {
	return collector{proc: f.root, clock: func(int) (time.Duration, error) {
		if f.gone {
			return 0, errors.New("CPU clock of process 100: invalid argument")
		}
		return time.Duration(f.clockNS), nil
	}}
}

// window measures one window with change in its middle.
func (f *fake) window(conns []int, change func()) map[string]result.Reading {
	f.t.Helper()
	a, err := f.collector().Arm(f.t.Context(), collectors.Target{PID: pid, StartTicks: 777, ConnTIDs: conns, ConnTIDsReason: "no login"}, probe.Caps{})
	if err != nil {
		f.t.Fatal(err)
	}
	if err := a.Begin(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
	change()
	endErr := a.End(f.t.Context())
	rs, err := a.Close()
	if err != nil {
		f.t.Fatal(err)
	}
	out := map[string]result.Reading{}
	for _, r := range rs {
		if (r.Value != nil) != r.State.Usable() {
			f.t.Errorf("%s: state %s and value %v", r.Name, r.State, r.Value)
		}
		if r.State != result.OK && r.Reason == "" {
			f.t.Errorf("%s: state %s without a reason", r.Name, r.State)
		}
		if _, twice := out[r.Name]; twice {
			f.t.Errorf("%s: given twice", r.Name)
		}
		out[r.Name] = r
	}
	if endErr != nil && out["context_switches"].State == result.OK {
		f.t.Errorf("End says %v, and context_switches is ok", endErr)
	}
	return out
}

// want checks values; a name with ~ before it is partial, with ! has no value.
func want(t *testing.T, got map[string]result.Reading, values map[string]float64) {
	t.Helper()
	have := map[string]float64{}
	for name := range values {
		key, st := name, result.OK
		switch name[0] {
		case '~':
			key, st = name[1:], result.Partial
		case '!':
			key, st = name[1:], got[name[1:]].State
			if st.Usable() {
				t.Errorf("%s: state %s, want one without a value", key, st)
			}
		}
		r, there := got[key]
		if !there || r.State != st {
			t.Errorf("%s: %+v, want state %s", key, r, st)
		}
		if r.Value != nil {
			have[name] = *r.Value
		} else {
			have[name] = 0
		}
	}
	if d := cmp.Diff(values, have, cmpopts.EquateApprox(0, 1e-6)); d != "" {
		t.Errorf("values (-want +got):\n%s", d)
	}
}
