package plan

import (
	"strings"
	"testing"
)

const installedPlan = "versions: [{name: a, mysqld: installed}]\nworkloads: [point-query]\n"

func TestInstalled(t *testing.T) {
	k := newFake()
	for _, c := range []struct {
		has  []string
		want string
	}{
		{[]string{"/usr/sbin/mariadbd", "/usr/sbin/mysqld"}, "/usr/sbin/mariadbd"},
		{[]string{"/usr/sbin/mysqld"}, "/usr/sbin/mysqld"},
	} {
		k.files = map[string]string{}
		for _, f := range c.has {
			k.files[f] = "#!"
		}
		p, err := Parse("/plans/p.yaml", []byte(installedPlan), k)
		if err != nil || p.Versions[0].Mysqld != c.want {
			t.Errorf("with %v: %v, %v; want %s", c.has, p, err, c.want)
		}
	}
	k.files = map[string]string{}
	_, err := Parse("/plans/p.yaml", []byte(installedPlan), k)
	if err == nil || !strings.Contains(err.Error(), "/plans/p.yaml:1:30: mysqld: installed: there is no mariadbd or mysqld in /usr/bin:/usr/sbin; install a server") {
		t.Errorf("without a server: %v", err)
	}
}
