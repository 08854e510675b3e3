package child

import (
	"slices"
	"strings"
	"testing"
)

// What programs that we start find in their environment: no password, no
// settings that name programs or servers, and no folder of PATH that is another
// one wherever they run.
func TestEnviron(t *testing.T) {
	for name, value := range map[string]string{
		"MYSQL_PWD": "zq9", "DEBUGINFOD_URLS": "https://symbols.example", "VALGRIND_OPTS": "--log-socket=h", "PERF_CONFIG": "/tmp/evil", "LC_ALL": "de_DE", "LANG": "de_DE",
		"PATH": ".:/usr/bin::bin:/bin:", "OPCOST_KEPT": "yes",
	} {
		t.Setenv(name, value)
	}
	env := Environ()
	for _, want := range []string{"PATH=/usr/bin:/bin", "PERF_CONFIG=/dev/null", "LC_ALL=C", "OPCOST_KEPT=yes"} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in it", want)
		}
	}
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains([]string{"MYSQL_PWD", "DEBUGINFOD_URLS", "VALGRIND_OPTS", "LANG"}, name) || strings.Contains(kv, "evil") || strings.Contains(kv, "zq9") {
			t.Errorf("%s is in it", kv)
		}
	}
}
