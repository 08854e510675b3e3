package symbol

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNormalMeets: the spellings of one function that tools print (GNU c++filt,
// with and without -p, LLVM's, perf script, callgrind) have one name.
func TestNormalMeets(t *testing.T) {
	for want, spellings := range map[string][]string{
		"dispatch_command": {"dispatch_command", "_Z16dispatch_command19enum_server_commandP3THDPcjb", "_Z16dispatch_commandP3THDPK8COM_DATA19enum_server_command",
			"dispatch_command(enum_server_command, THD*, char*, unsigned int, bool)", "dispatch_command(enum_server_command, THD*, char*, unsigned int, bool)'2",
			"dispatch_command.part.0", "dispatch_command(enum_server_command) [clone .cold]", "dispatch_command(enum_server_command) (.cold.5)"},
		"Foo::bar":                              {"_ZN3Foo3barEi.part.0.cold", "Foo::bar(int) [clone .part.0] [clone .cold]", "Foo::bar(int) const", "Foo::bar(int) const &", "Foo::bar(void (*)(int)) noexcept"},
		"row_search_mvcc":                       {"row_search_mvcc.constprop.0.isra.0", "row_search_mvcc.lto_priv.0.lto_priv.3", "row_search_mvcc.llvm.7712345678901234567", "row_search_mvcc.cold.99", "row_search_mvcc.localalias"},
		"pthread_mutex_unlock":                  {"pthread_mutex_unlock@@GLIBC_2.2.5", "pthread_mutex_unlock@GLIBC_2.2.5", "pthread_mutex_unlock'3"},
		"memcpy@plt":                            {"memcpy@plt", "memcpy@GLIBC_2.14@plt"},
		"std::swap<int>":                        {"void std::swap<int>(int&, int&)", "std::swap<int>"},
		"foo<std::vector<int>>":                 {"unsigned long foo<std::vector<int> >(int)", "foo<std::vector<int>>", "foo<std::vector<int> >"},
		"(anonymous namespace)::f":              {"_ZN12_GLOBAL__N_11fEi", "(anonymous namespace)::f(int)", "(anonymous namespace)::f(int) [clone .isra.0]"},
		"a::(anonymous namespace)::f":           {"a::(anonymous namespace)::f(int)", "a::(anonymous namespace)::f"},
		"operator<<":                            {"_ZlsRSoi", "operator<<(std::basic_ostream<char, std::char_traits<char> >&, int)"},
		"operator<< <int>":                      {"std::ostream& operator<< <int>(std::ostream&, int)"},
		"A::operator()":                         {"A::operator()(int) const", "A::operator()", "_ZNK1AclEi"},
		"A::operator->":                         {"A::operator->() const", "A::operator->"},
		"A::operator<":                          {"A::operator<(A const&) const"},
		"A::operator unsigned long":             {"A::operator unsigned long() const", "A::operator unsigned long"},
		"operator new":                          {"operator new(unsigned long)", "_Znwm", "operator new"},
		"operator new[]":                        {"operator new[](unsigned long)", "_Znam"},
		"foo::{lambda()#1}::operator()":         {"_ZZ3fooivENKUlvE_clEv", "foo(int)::{lambda()#1}::operator()() const", "foo(int, void)::{lambda()#1}::operator()"},
		"f::g<int>":                             {"decltype (a->b) f::g<int>(int)", "f::g<int>"},
		"non-virtual thunk to A::f":             {"non-virtual thunk to A::f(int)", "_ZThn8_N1A1fEi"},
		"std::function<void (int)>::operator()": {"std::function<void (int)>::operator()(int) const", "_ZNKSt8functionIFviEEclEi", "std::function<void (int)>::operator()"},
		"core::fmt::Formatter::pad":             {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad::h0123456789abcdef", "core::fmt::Formatter::pad"},
		"mycrate::foo":                          {"_RNvCsgStHSCytQ6I_7mycrate3foo", "mycrate[c498bb9fafc482ea]::foo"},
		"dtoa":                                  {"dtoa[abi:cxx11]", "dtoa"},
	} {
		for _, s := range spellings {
			if got := Normal(s); got != want {
				t.Errorf("Normal(%q) = %q, want %q", s, got, want)
			}
		}
	}
}

// TestNormalKeeps: names that are of other languages, cut off, or code of their own.
func TestNormalKeeps(t *testing.T) {
	for _, s := range []string{
		"", "main.(*T).Run", "main.(*T).Run.func1", "runtime.mcall", "Lorg/mozilla/javascript/Foo;::call",
		"LazyCompile:~fn /path/a (b).js:10", "(anonymous namespace)", "[libcrypto.so.3]",
		"gemm._omp_fn.0", "memcpy.resolver", "memcpy@plt", "__memmove_avx_unaligned_erms", "operator()", "operator", "f(", "f)", "<T as core::Foo>::bar",
		"core::ops::function::FnOnce::call_once{{vtable.shim}}", ".cold", "@@GLIBC_2.2.5", "'2", "0x7f00", "__x64_sys_read", "_Z", "_R",
		"v8::internal::(anonymous namespace)::Invoke",
	} {
		if got := Normal(s); got != s {
			t.Errorf("Normal(%q) = %q, want it as it is", s, got)
		}
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"ha_innobase::index_read(unsigned char*, unsigned char const*, unsigned int, ha_rkey_function)": "ha_innobase::index_read",
		"std::vector<int>::push_back(int&&)": "std::vector<int>::push_back",
		"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append":                    "std::string::_M_append",
		"my_rocksdb::SkipList<my_rocksdb::WriteBatchIndexEntry*, my_rocksdb::WriteBatchEntryComparator const&>::Insert": "my_rocksdb::SkipList<...>::Insert",
		"run(int)::{lambda(std::vector<int> const&, char)#2}::operator()(std::vector<int> const&) const":                "run::{lambda#2}::operator()",
		"(anonymous namespace)::f(int)": "(anonymous namespace)::f",
		"std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(std::basic_ostream<char, std::char_traits<char> >&, char const*)": "std::operator<< <std::char_traits<char>>",
		"my_rocksdb::aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa::operator<":                                                                              "my_rocksdb::aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa::operator<",
		"<alloc::vec::Vec<T> as core::iter::traits::collect::FromIterator<Tttttttttttttt>>::from_iter":                                                                  "<alloc::vec::Vec<...> as core::iter::traits::collect::FromIterator<...>>::from_iter",
	} {
		if got := Short(name); got != want {
			t.Errorf("Short(%q)\n got %q\nwant %q", name, got, want)
		}
	}
}

// TestNormalAgainstBinutils: every exported function of the installed server has
// one name, whether it is read mangled, from c++filt or from c++filt without
// parameters (as perf demangles).
func TestNormalAgainstBinutils(t *testing.T) {
	const server = "/usr/sbin/mariadbd"
	for _, need := range []string{"nm", "c++filt"} {
		if _, err := exec.LookPath(need); err != nil {
			skip(t, need+" is not installed (apt-get install binutils)")
		}
	}
	if _, err := os.Stat(server); err != nil {
		skip(t, server+" is not installed")
	}
	mangled := lines(t, exec.Command("nm", "-D", "--defined-only", "--format=just-symbols", server), "")
	if len(mangled) < 10_000 {
		t.Fatalf("%d names in %s: too few for a test", len(mangled), server)
	}
	full := lines(t, exec.Command("c++filt"), strings.Join(mangled, "\n"))
	bare := lines(t, exec.Command("c++filt", "-p"), strings.Join(mangled, "\n"))
	differ := 0
	for i, m := range mangled {
		a, b, c := Normal(m), Normal(full[i]), Normal(bare[i])
		if a != b || a != c {
			differ++
			if differ <= 40 {
				t.Logf("%s\n mangled %q\n c++filt %q of %q\n -p      %q of %q", m, a, b, full[i], c, bare[i])
			}
		}
	}
	t.Logf("%d of %d names differ", differ, len(mangled))
	if share := float64(differ) / float64(len(mangled)); share > 0.0005 {
		t.Errorf("%.2f%% of the names differ, want at most 0.05%%", 100*share)
	}
}

func lines(t *testing.T, c *exec.Cmd, in string) []string {
	t.Helper()
	c.Stdin = strings.NewReader(in)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v", c.Args, err)
	}
	var ls []string
	for s := bufio.NewScanner(strings.NewReader(string(out))); s.Scan(); {
		ls = append(ls, s.Text())
	}
	return ls
}

func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("OPCOST_TEST_ALL") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func FuzzNormal(f *testing.F) {
	for _, s := range []string{"_ZN3Foo3barEi.part.0.cold", "foo(int)::{lambda()#1}::operator()() const", "void f<int>(int)", "operator<< <int>(a)", "a@plt@plt",
		"_RNvCsgStHSCytQ6I_7mycrate3foo", "f(a)(b) const&&", "((((", ">>>>", "'2'3.cold'4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := Normal(s)
		if n == "" && s != "" {
			t.Errorf("Normal(%q) is empty", s)
		}
		if again := Normal(n); again != n {
			t.Errorf("Normal(%q) = %q, and of that %q", s, n, again)
		}
		if Short(s) == "" && s != "" {
			t.Errorf("Short(%q) is empty", s)
		}
	})
}
