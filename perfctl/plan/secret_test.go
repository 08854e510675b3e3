package plan

import (
	"fmt"
	"strings"
	"testing"
)

func TestIsSecret(t *testing.T) {
	for text, want := range map[string]bool{
		"report-password=x": true, "report_password=x": true, "--Master-Password=x": true, "ssl-passphrase=x": true, "wsrep_sst_auth=root:x": true, "s3-secret-key=x": true, "s3-access-key=x": true,
		"authentication_ldap_simple_bind_root_pwd=x": true, "hashicorp-key-management-token=x": true, "loose-file-key-management-filekey=x": true, "GITHUB_TOKEN=x": true, "AWS_SECRET_ACCESS_KEY=x": true,
		"API_KEY=x": true, "CREDENTIALS=x": true, "MYSQL_PWD=x": true,
		"ssl-key=/etc/k.pem": false, "caching_sha2_password_private_key_path=k.pem": false, "disconnect_on_expired_password=ON": false, "validate-password=FORCE_PLUS_PERMANENT": false, "report-password=": false,
		"innodb-buffer-pool-size=1G": false, "default_authentication_plugin=mysql_native_password": false, "key-buffer-size=1M": false, "PWD=/home/x": false, "OLDPWD=/": false, "performance_schema=ON": false,
	} {
		name, value, _ := strings.Cut(text, "=")
		if got := IsSecret(name, value); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestSecretIn(t *testing.T) {
	for command, want := range map[string]string{
		"my-load --password=hunter2 --time 3": "--password", "my-load --password hunter2": "--password", "x; load --api-token 'a b'": "--api-token", `sh -c "load --secret=x"`: "--secret",
		"my-load --a --b --password=x": "--password",
		"MYSQL_PWD=hunter2 my-load":    "MYSQL_PWD", "cd x && API_TOKEN='a b' my-load": "API_TOKEN",
		"MYSQL_PWD= my-load": "", "MYSQL_PWD=$PW my-load": "", "PWD=/home/x my-load --time=3": "",
		"my-load --user {user} --time {seconds}": "", "my-load --password=$PW": "", "my-load --password=\"$PW\"": "", "my-load --password=$(cat pw)": "", "my-load --password-file=/etc/pw": "", "my-load --password=": "",
		"my-load --password --host h": "", "my-load --no-password x": "",
	} {
		if got := secretIn(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// A plan that would leave a server open to others, or carry a secret into
// argument lists and results, is refused, and the secret is not repeated.
func TestSecurityPlans(t *testing.T) {
	const secret = "zq9-hunter2-zq9"
	const rest = "\nworkloads: [point-query]\n"
	for text, says := range map[string]string{
		"options: [report-password=" + secret + "]\nversions: [{name: a, mysqld: /bin/true}]":                            "holds a secret",
		"versions: [{name: a, mysqld: /bin/true, options: [loose_s3_secret_key=" + secret + "]}]":                        "holds a secret",
		"versions: [{name: a, mysqld: /bin/true, env: {API_TOKEN: " + secret + "}}]":                                     "holds a password or another secret",
		"versions: [{name: a, mysqld: /bin/true, env: {MYSQL_PWD: " + secret + "}}]":                                     "holds a password or another secret",
		"versions: [{name: a, mysqld: /bin/true, launcher: [/bin/true, --vault-token=" + secret + "]}]":                  "holds a secret",
		"versions: [{name: a, mysqld: /bin/true, launcher: [/usr/bin/env, MYSQL_PWD=" + secret + "]}]":                   "holds a secret",
		"versions: [{name: a, mysqld: /bin/true}]\ndriver: {command: 'load --time {seconds} --password=" + secret + "'}": "holds a secret",
		"versions: [{name: a, mysqld: /bin/true}]\nrestore: {command: 'fetch --api-key=" + secret + "'}":                 "holds a secret",
		"versions: [{name: a, mysqld: /bin/true}]\ndriver: {name: sysbench, options: [--mysql-password=" + secret + "]}": "would be in the process list",
		"versions: [{name: a, mysqld: /bin/true}]\nvariants: [{name: -x, options: [skip-grant-tables]}]":                 "without accounts",
		"versions: [{name: a, mysqld: /bin/true, options: [skip_gr]}]":                                                   "without accounts",
		"versions: [{name: a, mysqld: /bin/true, options: [admin_address=0.0.0.0]}]":                                     "no second port",
		"versions: [{name: a, mysqld: /bin/true, options: [extra-port=3310]}]":                                           "no second port",
		"versions: [{name: a, mysqld: /bin/true, options: [bind-address=0.0.0.0]}]":                                      "loopback",
		"versions: [{name: a, mysqld: /bin/true, options: [skip-networking=0]}]":                                         "transport",
		"versions: [{name: a, mysqld: /bin/true, options: ['wsrep-on=ON', 'wsrep-cluster-address=gcomm://']}]":           "listens to other machines",
		"versions: [{name: a, mysqld: /bin/true, options: [mysqlx-port=33060]}]":                                         "X protocol",
		"versions: [{name: a, mysqld: /bin/true, options: ['group-replication-local-address=h:33061']}]":                 "listens to other machines",
	} {
		_, err := Parse("plan.yaml", []byte(text+rest), names{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("the secret is in the error: %v", err)
		}
	}
}

// names knows one workload and one character set.
type names struct{}

func (names) Workloads(n []string) ([]string, error) {
	if len(n) != 1 || n[0] != "point-query" {
		return nil, fmt.Errorf("unknown workload %q", n)
	}
	return n, nil
}

func (names) Charsets() []string { return []string{"latin1"} }

func TestHarmless(t *testing.T) {
	laughs := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 10; i++ {
		laughs += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	for text, says := range map[string]string{
		laughs + "driver: *a9\n": "aliases", strings.Repeat("[", 1000): "nested", "# " + strings.Repeat("x", maxText): "reads up to", "a: [": "not YAML",
		"base: &b {options: [x]}\nversions: [{<<: *b, name: a}, {<<: *b, name: c}]\n": "",
	} {
		if err := Harmless("plan.yaml", []byte(text)); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v, want %q", text, err, says)
		}
	}
}
