package granularity

import (
	"testing"

	"opcost/profiles"
)

func TestObjectName(t *testing.T) {
	for _, c := range []struct {
		object string
		space  profiles.Space
		want   string
	}{
		{"/usr/sbin/mariadbd", profiles.User, "mariadbd"},
		{"/usr/sbin/mysqld (deleted)", profiles.User, "mysqld"},
		{"/usr/lib/x86_64-linux-gnu/libc-2.31.so", profiles.User, "libc.so"},
		{"/lib/libc.so.6", profiles.User, "libc.so"},
		{"/x/libcrypto.so.1.1", profiles.User, "libcrypto.so"},
		{"/x/libstdc++.so.6.0.30", profiles.User, "libstdc++.so"},
		{"/x/ha_rocksdb.so", profiles.User, "ha_rocksdb.so"},
		{"/x/ld-linux-x86-64.so.2", profiles.User, "ld-linux-x86-64.so"},
		{"[kernel.kallsyms]", profiles.Kernel, "[kernel]"},
		{"[kernel.kallsyms]_stext", profiles.Kernel, "[kernel]"},
		{"/boot/vmlinux-6.1.0", profiles.Kernel, "[kernel]"},
		{"", profiles.Kernel, "[kernel]"},
		{"", profiles.User, ""},
		{"/lib/modules/6.1/kernel/net/netfilter/nf-tables.ko.xz", profiles.Kernel, "[nf_tables]"},
		{"[nf_tables]", profiles.Kernel, "[nf_tables]"},
		{"[vdso]", profiles.User, "[vdso]"},
	} {
		if got := ObjectName(profiles.Frame{Object: c.object, Space: c.space}); got != c.want {
			t.Errorf("%q: %q, want %q", c.object, got, c.want)
		}
	}
}

func profileOf(binary string, frames ...profiles.Frame) *profiles.Profile {
	return &profiles.Profile{Frames: frames, About: profiles.About{Binary: binary}}
}

// TestKeysOfServers: the server is one object under whatever name it has, and
// keeps its name where there is only one.
func TestKeysOfServers(t *testing.T) {
	a := profileOf("/opt/a/mysqld", profiles.Frame{Function: "f", Object: "/opt/a/mysqld"}, profiles.Frame{Function: "f", Object: "/x/liba.so.1"})
	b := profileOf("/opt/b/my-own-build", profiles.Frame{Function: "f(int)", Object: "/opt/b/my-own-build"}, profiles.Frame{Function: "f", Object: "/y/liba.so.2.3"})
	k := NewKeys(Function, a, b)
	for i := range a.Frames {
		if x, y := k.Of(a, a.Frames[i]), k.Of(b, b.Frames[i]); x != y {
			t.Errorf("%+v and %+v do not meet", x, y)
		}
	}
	if got := k.Of(a, a.Frames[0]).Object; got != Server {
		t.Errorf("the object is %q, want %q", got, Server)
	}
	if got := NewKeys(Function, a).Of(a, a.Frames[0]).Object; got != "mysqld" {
		t.Errorf("alone the object is %q, want mysqld", got)
	}
	if got := NewKeys(Name, a, b).Of(a, a.Frames[0]); got != (Key{Function: "f"}) {
		t.Errorf("by name: %+v", got)
	}
	if got := NewKeys(Object, a, b).Of(b, b.Frames[1]); got != (Key{Object: "liba.so"}) {
		t.Errorf("by object: %+v", got)
	}
}

// TestKeysOfPrograms: without a program file or a usual name, the object that has
// the main is the one that is compared.
func TestKeysOfPrograms(t *testing.T) {
	at := func(object string) *profiles.Profile {
		return profileOf("", profiles.Frame{Function: "main", Object: object}, profiles.Frame{Function: "f", Object: object})
	}
	a, b := at("/x/one"), at("/x/two")
	if x, y := NewKeys(Function, a, b).Of(a, a.Frames[1]), NewKeys(Function, a, b).Of(b, b.Frames[1]); x != y {
		t.Errorf("%+v and %+v do not meet", x, y)
	}
	b.Frames = append(b.Frames, profiles.Frame{Function: "main", Object: "/bin/sh"})
	if x, y := NewKeys(Function, a, b).Of(a, a.Frames[1]), NewKeys(Function, a, b).Of(b, b.Frames[1]); x == y {
		t.Errorf("of two programs, one was chosen: %+v", y)
	}
}

// TestKeysWithoutNames: starts tell functions apart within one known build only.
func TestKeysWithoutNames(t *testing.T) {
	at := func(id string, start, address uint64) *profiles.Profile {
		return profileOf("", profiles.Frame{Object: "/x/mysqld", BuildID: id, Start: start, Address: address})
	}
	for _, c := range []struct {
		name string
		ps   []*profiles.Profile
		want string
	}{
		{"one profile", []*profiles.Profile{at("", 0x40, 0)}, "mysqld+0x40"},
		{"one build", []*profiles.Profile{at("aa", 0x40, 0), at("aa", 0x80, 0)}, "mysqld+0x40"},
		{"two builds", []*profiles.Profile{at("aa", 0x40, 0), at("bb", 0x40, 0)}, "[no name]"},
		{"unknown builds", []*profiles.Profile{at("", 0x40, 0), at("", 0x40, 0)}, "[no name]"},
		{"no start", []*profiles.Profile{at("aa", 0, 0x1234), at("aa", 0x80, 0)}, "[no name]"},
	} {
		k := NewKeys(Function, c.ps...)
		got := k.Of(c.ps[0], c.ps[0].Frames[0])
		if got.Text() != c.want || got.Object != "mysqld" || !got.Unnamed {
			t.Errorf("%s: %+v %q, want %q of mysqld", c.name, got, got.Text(), c.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, l := range Levels {
		if got, err := Parse(string(l)); err != nil || got != l {
			t.Errorf("%q: %q, %v", l, got, err)
		}
	}
	if _, err := Parse("line"); err == nil {
		t.Error(`"line" was taken`)
	}
}
