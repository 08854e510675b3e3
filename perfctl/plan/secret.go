package plan

import (
	"regexp"
	"strings"
)

var (
	// secretName is the end of a name whose value is a secret: of a server's
	// option (report-password, hashicorp-key-management-token, s3-secret-key,
	// authentication-ldap-simple-bind-root-pwd), a program's, or of a variable of
	// the environment. What leads to a secret (a file's name, a path) is none.
	secretName = regexp.MustCompile(`(^|-)(password|passwd|passwort|pwd|passphrase|secret|auth|token|filekey|credentials?|(api|secret|access|private|account)-?key)$`)
	// switchValue is that of a switch such as disconnect_on_expired_password.
	switchValue = regexp.MustCompile(`(?i)^(|0|1|on|off|true|false|force|force_plus_permanent)$`)
)

// IsSecret tells whether a value is a secret by the name that it has, however the
// words of the name are written. Results keep options, launchers and
// environments, and every user of a machine sees its processes' arguments.
func IsSecret(name, value string) bool {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimLeft(name, "-")), "_", "-")
	if name == "pwd" || name == "oldpwd" || name == "no-password" {
		return false // the working directory; a switch
	}
	return secretName.MatchString(name) && !switchValue.MatchString(strings.Trim(strings.TrimSpace(value), `"'`))
}

// wordOption is an option within a command, or a variable that is set in it.
var wordOption = regexp.MustCompile(`(?:^|[\s;&|("'])(--?[A-Za-z][\w-]*|[A-Za-z_]\w*=)`)

// secretIn is the option or the variable of a command that is given a secret as
// it stands (--password=x, --token x, MYSQL_PWD=x); "" where there is none. A
// variable's value, a command's output and a placeholder are none.
func secretIn(command string) string {
	for _, at := range wordOption.FindAllStringSubmatchIndex(command, -1) {
		option, isVariable := strings.CutSuffix(command[at[2]:at[3]], "=")
		value := command[at[1]:]
		if !isVariable {
			value = strings.TrimPrefix(strings.TrimLeft(value, " \t"), "=")
		}
		value = strings.TrimLeft(value, `"'`)
		if end := strings.IndexAny(value, "\"' \t;&|)"); end >= 0 {
			value = value[:end]
		}
		if value != "" && !strings.ContainsAny(value[:1], "$`{-<") && IsSecret(option, value) {
			return option
		}
	}
	return ""
}
