package live

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// dsn is what a DSN says, less what would change something on the server.
type dsn struct {
	user, password string
	net, addr      string // "" for a DSN without an address
	tls            string // "" unsaid
	warnings       []Warning
}

// The words of go-sql-driver's tls parameter.
var tlsWords = []string{"true", "false", "skip-verify", "preferred"}

// parseDSN reads [user[:password]@][net[(address)]]/[database][?name=value...].
// Its errors quote nothing, since a DSN that cannot be read may show a password
// in any of its parts. Parameters other than tls are left out with a warning:
// most of them are settings of the session.
func parseDSN(text string) (dsn, error) {
	var d dsn
	if strings.HasSuffix(text, ")") {
		text += "/" // user@tcp(host:port) is meant well
	}
	slash := strings.LastIndexByte(text, '/')
	question := -1
	if slash >= 0 {
		question = strings.IndexByte(text[slash:], '?')
	}
	if question >= 0 {
		params, err := url.ParseQuery(text[slash+question+1:])
		if err != nil {
			return dsn{}, errDSN
		}
		text = text[:slash+question]
		var left []string
		for name, values := range params {
			if name == "tls" {
				d.tls = values[len(values)-1]
				continue
			}
			left = append(left, name)
		}
		if len(left) > 0 {
			slices.Sort(left)
			d.warnings = append(d.warnings, warnf("parameters of the DSN were left out, since nothing is set on a live server: %s", strings.Join(left, ", ")))
		}
	}
	if d.tls != "" && !slices.Contains(tlsWords, d.tls) {
		return dsn{}, errors.New("the DSN's tls can be " + strings.Join(tlsWords, ", "))
	}
	cfg, err := mysql.ParseDSN(text)
	if err != nil {
		return dsn{}, errDSN
	}
	if cfg.Net != "unix" && cfg.Net != "tcp" {
		return dsn{}, errDSN
	}
	d.user, d.password, d.net, d.addr = cfg.User, cfg.Passwd, cfg.Net, cfg.Addr
	before, _, _ := strings.Cut(text[strings.LastIndexByte(text, '@')+1:], "/")
	if before == "" {
		d.net, d.addr = "", "" // the driver has put its default there
	}
	return d, nil
}

var errDSN = errors.New("the DSN cannot be read (it is not shown, as it may hold a password): expected user@unix(/path/to.sock)/ or user@tcp(host:port)/, with ?tls=preferred at its end if need be")

// RedactDSN is a DSN for people, without its password and parameters.
func RedactDSN(text string) string {
	d, err := parseDSN(text)
	if err != nil {
		return "(a DSN that cannot be read)"
	}
	redacted := d.net + "(" + d.addr + ")/"
	if d.user != "" {
		redacted = d.user + "@" + redacted
	}
	return redacted
}
