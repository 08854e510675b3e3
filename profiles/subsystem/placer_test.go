package subsystem

import (
	"strings"
	"testing"

	"opcost/profiles"
)

// frameOf reads "name", "k:name" (of the kernel), "?" and "k:?" (without a name),
// "~name" (of an unknown side).
func frameOf(s string) profiles.Frame {
	f := profiles.Frame{Space: profiles.User}
	if rest, ok := strings.CutPrefix(s, "k:"); ok {
		f.Space, s = profiles.Kernel, rest
	}
	if rest, ok := strings.CutPrefix(s, "~"); ok {
		f.Space, s = profiles.UnknownSpace, rest
	}
	if strings.HasPrefix(s, "?") {
		f.Address = uint64(len(s))
	} else {
		f.Function = s
	}
	return f
}

// TestStack: stacks with the root first, and where their leaf belongs.
func TestStack(t *testing.T) {
	for _, c := range []struct {
		stack     string
		want      string
		inherited bool
	}{
		{"do_command;row_search_mvcc", "InnoDB record", false},
		{"do_command;row_search_mvcc;?", "InnoDB record", true},
		{"do_command;row_search_mvcc;?;??;???", "InnoDB record", true},
		{"?;??", Unresolved, false},
		{"?;row_search_mvcc", "InnoDB record", false},
		{"row_search_mvcc;k:?", KernelOther, false}, // the kernel is no part of the caller
		{"row_search_mvcc;k:tcp_sendmsg;k:?", "kernel network", true},
		{"foo;?", ServerOther, true},
		// Interrupts are switched on for whoever does so.
		{"do_command;k:tcp_sendmsg;k:_raw_spin_unlock_irqrestore;k:__raw_callee_save_pvm_irq_enable;k:pvm_irq_enable", KernelOther, true},
		{"do_command;k:schedule;k:finish_task_switch;k:__raw_callee_save_pvm_irq_enable;k:pvm_irq_enable", "kernel scheduler", true},
		{"do_command;k:pvm_irq_enable", KernelOther, false},
		{"~do_syscall_64;~finish_task_switch;~pvm_irq_enable", "kernel scheduler", true},
		// Without sides: what the kernel calls is the kernel's ...
		{"~do_command;~do_syscall_64;~mutex_lock", KernelOther, false},
		{"~do_command;~do_syscall_64;~nothing_known", KernelOther, false},
		// ... but for what only programs have.
		{"~do_command;~mutex_lock", "latches", false},
		{"~do_command;~do_syscall_64;~page_cur_search_with_match", "InnoDB B-tree", false},
		{"", Unresolved, false},
	} {
		b := profiles.NewBuilder(profiles.Event{Name: "cycles"})
		var frames []int32
		if c.stack != "" {
			for _, name := range strings.Split(c.stack, ";") {
				frames = append([]int32{b.Frame(frameOf(name))}, frames...)
			}
		}
		if err := b.Add("", frames, 1, 1); err != nil {
			t.Fatal(err)
		}
		p := b.Profile()
		if got := Default().Placer(p).Leaf(p.Stacks[0]); got != (Placed{c.want, c.inherited}) {
			t.Errorf("%s: %+v, want %s, inherited %v", c.stack, got, c.want, c.inherited)
		}
	}
}

// TestArcs: where calls were counted, the caller that cost most tells the place.
func TestArcs(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{Name: "Ir", Counted: true})
	at := func(name string) int32 { return b.Frame(frameOf(name)) }
	for _, a := range []struct {
		caller, callee string
		weight         int64
	}{
		{"row_search_mvcc", "?", 70}, {"MYSQLparse", "?", 30}, // mostly from the record layer
		{"?", "??", 10}, {"??", "??", 90}, // through a function without a name; own recursion is no caller
		{"???", "????", 5}, {"????", "???", 5}, // a cycle that no one named calls
	} {
		if err := b.Call("", at(a.caller), at(a.callee), 1, a.weight); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]Placed{"?": {"InnoDB record", true}, "??": {"InnoDB record", true}, "???": {Unresolved, false}, "MYSQLparse": {"parser", false}}
	index := map[string]int32{}
	for name := range want {
		index[name] = at(name)
	}
	pl := Default().Placer(b.Profile())
	for name, w := range want {
		if got := pl.Frame(index[name]); got != w {
			t.Errorf("%s: %+v, want %+v", name, got, w)
		}
	}
}
