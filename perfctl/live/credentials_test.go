package live

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOptionFileAsServer holds our reading of a my.cnf against the server's own
// (--print-defaults), with the lines in a section of the server's.
func TestOptionFileAsServer(t *testing.T) {
	exe := needs(t, "mariadbd")
	for _, line := range []string{
		`password=plain`, `password = spaced out  `, `password="quo ted"`, `password='single # quoted'`, `password="a#b" # comment`, `password=a#b`, `password=a;b`,
		`password="back\\slash"`, `password=tab\there`, `password=sp\sace`, `password=\x\y`, `password="half`, `password=half"`, `password='mixed"`, `password="in"side"`,
		`password=a=b=c`, `password=`, `pass_word=x`, `password="it\"s"`, `password="it's # here"`, `password='it\'s # here'`, `user = u`, `loose_password=p`, `  password=indented`,
		`; password=comment`, `password="#"`, `password=\\#`, `password="\\"`, `password=öä€`, `password`,
	} {
		path := filepath.Join(t.TempDir(), "my.cnf")
		if err := os.WriteFile(path, []byte("[mysqld]\n"+line+"\n[other]\npassword=no\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(exe, "--defaults-file="+path, "--print-defaults").Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		// "mariadbd would have been started with the following arguments:\n--x "
		_, theirs, _ := strings.Cut(string(out), "arguments:\n")
		theirs = strings.TrimSuffix(strings.TrimSuffix(theirs, "\n"), " ")
		f, err := parseOptionFile(strings.NewReader("[client]\n" + line + "\n[other]\npassword=no\n"))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		ours := ""
		for name, value := range f.values {
			ours = "--" + name + "=" + value
		}
		for _, name := range f.bare {
			ours = "--" + name
		}
		name, value, has := strings.Cut(theirs, "=")
		name = strings.Replace(strings.ReplaceAll(name, "_", "-"), "--loose-", "--", 1)
		if has {
			name += "=" + value
		}
		if ours != name {
			t.Errorf("%s: we read %q, the server %q", line, ours, theirs)
		}
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // past the umask
		t.Fatal(err)
	}
	return path
}

func TestReadCredentials(t *testing.T) {
	home := t.TempDir()
	write(t, filepath.Join(home, ".my.cnf"), "[client]\nuser=home\npassword=homepw\nsocket=/run/h.sock\nssl-mode=DISABLED\n[mysql]\npassword=other\n", 0o600)
	named := write(t, filepath.Join(t.TempDir(), "named.cnf"), "[client]\nuser=named\npassword='named pw'\nport=3307\nhost=db1\nssl\n", 0o600)
	open := write(t, filepath.Join(t.TempDir(), "open.cnf"), "[client]\npassword=seen\n", 0o644)
	writable := write(t, filepath.Join(t.TempDir(), "writable.cnf"), "[client]\npassword=forged\n", 0o666)
	include := write(t, filepath.Join(t.TempDir(), "include.cnf"), "[client]\nuser=u\n!includedir /etc/mysql/conf.d/\n", 0o600)
	asks := write(t, filepath.Join(t.TempDir(), "asks.cnf"), "[client]\nuser=u\npassword\n", 0o600)
	badHome := t.TempDir()
	write(t, filepath.Join(badHome, ".my.cnf"), "!include /x\n[client]\nuser=bad\n", 0o600)
	prompt := func(question string) (string, error) { return "typed for " + question, nil }

	for _, c := range []struct {
		name     string
		from     Sources
		want     Credentials
		password string
		warns    string
		err      string
	}{
		{name: "home", from: Sources{Home: home}, want: Credentials{User: "home", PasswordFrom: home + "/.my.cnf", Socket: "/run/h.sock", TLS: "false"}, password: "homepw"},
		{name: "MYSQL_PWD before home", from: Sources{Home: home, Password: "env"}, want: Credentials{User: "home", PasswordFrom: "MYSQL_PWD", Socket: "/run/h.sock", TLS: "false"}, password: "env"},
		{name: "named before MYSQL_PWD, without home", from: Sources{Home: home, Password: "env", DefaultsFile: named}, want: Credentials{User: "named", PasswordFrom: named, Host: "db1", Port: 3307, TLS: "skip-verify"}, password: "named pw"},
		{name: "DSN before all", from: Sources{Home: home, Password: "env", DefaultsFile: named, DSN: "d:p:w@tcp(h)/?tls=true"}, want: Credentials{User: "d", PasswordFrom: "the DSN", Host: "db1", Port: 3307, TLS: "true"}, password: "p:w", warns: "list of processes"},
		{name: "user of the DSN, password of the file", from: Sources{Home: home, DSN: "d@unix(/s)/"}, want: Credentials{User: "d", PasswordFrom: home + "/.my.cnf", Socket: "/run/h.sock", TLS: "false"}, password: "homepw"},
		{name: "prompt last", from: Sources{User: "me", Prompt: prompt}, want: Credentials{User: "me", PasswordFrom: "the prompt"}, password: "typed for Password of me: "},
		{name: "prompt not needed", from: Sources{User: "me", Password: "env", Prompt: func(string) (string, error) { panic("asked") }}, want: Credentials{User: "me", PasswordFrom: "MYSQL_PWD"}, password: "env"},
		{name: "prompt fails", from: Sources{User: "me", Prompt: func(string) (string, error) { return "", errors.New("no terminal") }}, err: "password of me: no terminal"},
		{name: "nothing", from: Sources{}, want: Credentials{User: ownName()}},
		{name: "readable", from: Sources{User: "u", DefaultsFile: open}, want: Credentials{User: "u", PasswordFrom: open}, password: "seen", warns: "chmod 600 " + open},
		{name: "writable", from: Sources{User: "u", DefaultsFile: writable}, err: "everybody can write to it"},
		{name: "include", from: Sources{DefaultsFile: include}, err: "line 3: !includedir"},
		{name: "include at home", from: Sources{Home: badHome}, want: Credentials{User: "bad"}, warns: "line 1: !include /x"},
		{name: "asks, nobody there", from: Sources{DefaultsFile: asks}, want: Credentials{User: "u"}, warns: "nobody can be asked"},
		{name: "asks", from: Sources{DefaultsFile: asks, Prompt: prompt}, want: Credentials{User: "u", PasswordFrom: "the prompt"}, password: "typed for Password of u: "},
		{name: "no such file", from: Sources{DefaultsFile: "/no/such.cnf"}, err: "/no/such.cnf: no such file"},
		{name: "a folder", from: Sources{DefaultsFile: home}, err: "this is no file"},
		{name: "two users", from: Sources{User: "a", DSN: "b@/"}, err: "two users"},
		{name: "no home file", from: Sources{User: "u", Home: t.TempDir()}, want: Credentials{User: "u"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadCredentials(c.from)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "forged") {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			password := ""
			if got.password != nil {
				password = *got.password
			}
			if password != c.password {
				t.Errorf("password %q, want %q", password, c.password)
			}
			if warned := fmt.Sprint(got.Warnings); (c.warns == "") != (len(got.Warnings) == 0) || !strings.Contains(warned, c.warns) {
				t.Errorf("warnings %v, want %q", got.Warnings, c.warns)
			}
			for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
				for _, printed := range []string{fmt.Sprintf(format, got), fmt.Sprintf(format, &got), fmt.Sprintf(format, struct{ C Credentials }{got}), fmt.Sprintf(format, []any{got})} {
					if password != "" && strings.Contains(printed, password) {
						t.Errorf("%s shows the password: %s", format, printed)
					}
				}
			}
			got.password, got.Warnings = nil, nil
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(Credentials{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDSN(t *testing.T) {
	for text, want := range map[string]string{
		"u:secret@tcp(db1:3306)/x":                 "u tcp db1:3306 secret",
		"u:secret@tcp(db1)/":                       "u tcp db1:3306 secret",
		"u:secret@tcp(db1:3306)":                   "u tcp db1:3306 secret",
		"u@unix(/run/mysqld/mysqld.sock)/":         "u unix /run/mysqld/mysqld.sock ",
		"u@unix(/run/mysqld/mysqld.sock)":          "u unix /run/mysqld/mysqld.sock ",
		"unix(/s)/":                                " unix /s ",
		"u:p@ss:w/o?rd@tcp([::1]:3306)/?tls=false": "u tcp [::1]:3306 p@ss:w/o?rd",
		"u:secret@/":                               "u   secret",
		"/":                                        "   ",
	} {
		d, err := parseDSN(text)
		if got := strings.Join([]string{d.user, d.net, d.addr, d.password}, " "); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
		if shown := RedactDSN(text); d.password != "" && strings.Contains(shown, d.password) {
			t.Errorf("shown as %s", shown)
		}
	}
	for _, text := range []string{"u:secret", "u:sec/ret", "u:secret@db1:3306", "u:secret@udp(h:1)/", "u:secret@tcp(h/", "u:secret@tcp(h:1)/?a=%zz", "u:secret@secret(x)/"} {
		if _, err := parseDSN(text); err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(RedactDSN(text), "sec") {
			t.Errorf("%s: %v, %s", text, err, RedactDSN(text))
		}
	}
	if _, err := parseDSN("u@tcp(h)/?tls=maybe"); err == nil || !strings.Contains(err.Error(), "preferred") {
		t.Errorf("%v", err)
	}
	d, err := parseDSN("u@tcp(h)/db?charset=utf8mb4&tls=preferred&strict=1&sql_mode=%27%27")
	if err != nil || d.tls != "preferred" || len(d.warnings) != 1 || !strings.HasSuffix(d.warnings[0].Text, ": charset, sql_mode, strict") {
		t.Errorf("%+v, %v", d, err)
	}
}

func FuzzDSN(f *testing.F) {
	f.Add("u:zq9secret@tcp(h:1)/x?tls=true")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "zq9") {
			return // it may stand where no password does, as in a host's name
		}
		if _, err := parseDSN("u:zq9secret" + text); err != nil && strings.Contains(err.Error(), "zq9") || strings.Contains(RedactDSN("u:zq9secret@"+text), "zq9") {
			t.Errorf("%q shows its password", text)
		}
	})
}

func FuzzOptionFile(f *testing.F) {
	f.Add("[client]\npassword=\"a#b\\\\\" # x\n!include y\n[z]\n")
	f.Fuzz(func(t *testing.T, text string) { _, _ = parseOptionFile(strings.NewReader(text)) })
}
