package workload

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// Access is how a connection of the workload reaches the server and talks to
// it. Nothing is negotiated silently: what the server cannot do is an error.
type Access struct {
	Network  string // "unix" or "tcp"
	Addr     string // a socket's path, or host:port
	User     string
	Password string
	Database string
	Charset  string // one of Charsets
	TLS      bool   // true: required (the certificate is not verified); false: never
	Protocol string // Prepared or Text
}

// collations are what the session charsets are asked for by in the handshake,
// so that no SET NAMES is sent. Each is its charset's default in MySQL 5.x.
var collations = map[string]string{
	"ascii":   "ascii_general_ci",
	"binary":  "binary",
	"latin1":  "latin1_swedish_ci",
	"utf8":    "utf8_general_ci",
	"utf8mb4": "utf8mb4_general_ci",
}

// Charsets are the session charsets that can be asked for.
func Charsets() []string { return slices.Sorted(maps.Keys(collations)) }

func (a Access) check() error {
	if a.Network != "unix" && a.Network != "tcp" {
		return fmt.Errorf("network %q: give unix or tcp", a.Network)
	}
	if a.Protocol != Prepared && a.Protocol != Text {
		return fmt.Errorf("protocol %q: give %s or %s", a.Protocol, Prepared, Text)
	}
	if _, ok := collations[a.Charset]; !ok {
		return fmt.Errorf("charset %q: give one of %s", a.Charset, strings.Join(Charsets(), ", "))
	}
	return nil
}

type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// connector makes connections to the server, over dial where it is given.
func (a Access) connector(dial dialer) (driver.Connector, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	c := mysql.NewConfig()
	c.Net, c.Addr = a.Network, a.Addr
	c.User, c.Passwd, c.DBName = a.User, a.Password, a.Database
	c.Collation = collations[a.Charset]
	c.ConnectionAttributes = "program_name:opcost"
	c.Logger = &mysql.NopLogger{} // what it would print comes back as errors
	c.AllowNativePasswords = true
	c.DialFunc = dial
	if a.TLS {
		c.TLS = &tls.Config{InsecureSkipVerify: true} // a private server's certificate is its own
	}
	return mysql.NewConnector(c)
}
