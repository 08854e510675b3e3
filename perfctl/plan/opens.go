package plan

import (
	"slices"
	"strings"
)

// opens are the options with which a server listens to more than the load of
// opcost, or asks nobody who they are, whatever opcost sets itself. Names as
// [optionName] gives them.
var opens = []struct{ name, why string }{
	{"extra-port", "opcost opens no second port"},
	{"admin-address", "opcost opens no second port"},
	{"admin-port", "opcost opens no second port"},
	{"wsrep-on", "a cluster's node listens to other machines"},
	{"wsrep-cluster-address", "a cluster's node listens to other machines"},
	{"group-replication-local-address", "a group's member listens to other machines"},
}

// withoutAccounts is skip-grant-tables.
const withoutAccounts = "grant-tables"

// Opens says why a server option, of a plan or of a defaults file, would leave
// the server open to others; "" where it would not. A server takes the beginning
// of an option's name for the option, where only one begins so.
func Opens(option string) string {
	name, value, off := optionName(strings.TrimLeft(option, "-"))
	switched := slices.Contains([]string{"0", "off", "false", "none"}, strings.ToLower(strings.Trim(strings.TrimSpace(value), `"'`)))
	if name != "" && strings.HasPrefix(withoutAccounts, name) && off != switched {
		return "without accounts everyone on this machine could read the files of the user it runs as"
	}
	for _, o := range opens {
		if (name == o.name || len(name) > 6 && strings.HasPrefix(o.name, name)) && !off && !switched {
			return o.why
		}
	}
	return ""
}
