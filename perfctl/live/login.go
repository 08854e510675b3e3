package live

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/go-sql-driver/mysql"

	"opcost/perfctl/server"
)

// loginTimeout is how long a server may take to greet us and let us in.
const loginTimeout = 30 * time.Second

// Login connects to a server, once, and proves that it is the process that Find
// has found: by the socket's listener before anything is said, over TCP by the
// server's own pid file. Over TCP it uses TLS where the server offers it, over a
// socket it does not, unless the credentials say otherwise; a refused TLS is an
// error and never retried without.
func Login(ctx context.Context, c Credentials, s Server) (*Conn, error) {
	if s.Addr == "" {
		return nil, fmt.Errorf("log in to %s: where it listens cannot be seen from here: give --socket or --dsn", s)
	}
	conn := &Conn{}
	cfg, err := c.config(s, conn)
	if err != nil {
		return nil, err
	}
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if given := s.link.take(); given != nil {
			return given, nil
		}
		if network != "unix" {
			return (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, addr)
		}
		dialed, peer, err := dialUnix(ctx, addr)
		if err != nil {
			return nil, err
		}
		if err := s.checkPeer(peer); err != nil {
			_ = dialed.Close()
			return nil, err
		}
		s.proven = s.proven || peer == s.PID
		return dialed, nil
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("log in to %s: %w", s, err)
	}
	limited, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	under, err := connector.Connect(limited)
	if err != nil {
		return nil, loginError(c, s, err)
	}
	conn.control = server.NewControl(under)
	if err := conn.introduce(ctx, s); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// config is the driver's configuration. Nothing in it makes the driver send a
// statement of its own: no parameter, no charset, a known packet size.
func (c Credentials) config(s Server, conn *Conn) (*mysql.Config, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = c.User, s.Net, s.Addr
	if c.password != nil {
		cfg.Passwd = *c.password
	}
	cfg.Logger = &mysql.NopLogger{} // what fails is returned
	cfg.ConnectionAttributes = "program_name:opcost"
	// The charset is chosen by the handshake, which costs no statement; these
	// servers do not know the driver's default.
	if id, err := server.ParseVersion(s.Version); err == nil && (s.Flavor == flavorMySQL && !id.AtLeast(5, 7, 0) || s.Flavor == flavorMariaDB && !id.AtLeast(10, 0, 0)) {
		cfg.Collation = "latin1_swedish_ci"
	}
	mode := c.TLS
	if mode == "" {
		mode = map[string]string{"unix": "false", "tcp": "preferred"}[s.Net]
	}
	if mode == "false" {
		return cfg, nil
	}
	host, _, err := net.SplitHostPort(s.Addr)
	if err != nil {
		host = "localhost" // a socket has no name of its own
	}
	cfg.TLS = &tls.Config{ServerName: host, InsecureSkipVerify: mode != "true", VerifyConnection: func(state tls.ConnectionState) error {
		conn.TLS = tls.VersionName(state.Version) + " " + tls.CipherSuiteName(state.CipherSuite)
		return nil
	}}
	cfg.AllowFallbackToPlaintext = mode == "preferred"
	if c.ca != "" {
		text, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, fmt.Errorf("ssl-ca: %w", err)
		}
		cfg.TLS.RootCAs = x509.NewCertPool()
		if !cfg.TLS.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("ssl-ca: %s holds no certificate", c.ca)
		}
	}
	return cfg, nil
}

// checkPeer looks who listens now: a path may have become another server's
// since Find.
func (s Server) checkPeer(peer int) error {
	const systemd = 1
	switch {
	case s.PID == 0, peer == s.PID, peer == s.peer, s.proven && peer == systemd:
		return nil
	}
	is := fmt.Sprintf("pid %d", peer)
	if p, err := readProcess(procOr(s.proc), peer); err == nil {
		is = p.String()
	}
	return &Mismatch{Given: fmt.Sprintf("pid %d", s.PID), Other: "socket " + s.Addr, Is: is}
}

// take gives Find's connection, once, if the server will still be waiting.
func (l *link) take() net.Conn {
	if l == nil || l.conn == nil {
		return nil
	}
	conn := l.conn
	l.conn = nil
	if time.Since(l.made) > linkAge {
		_ = conn.Close() // nothing was sent on it
		return nil
	}
	return conn
}

// Error numbers of the server's that a user can do something about (MySQL
// server error reference).
var advice = map[uint16]string{
	1040: "all its connections are taken; its extra_port (MariaDB) or admin_address (MySQL) may still let you in: give it with --dsn",
	1044: "the account lacks a privilege: PROCESS, and SELECT on performance_schema, are what opcost reads",
	1045: "check user and password (MYSQL_PWD, --defaults-file, or when asked); an account that requires TLS refuses without: ?tls=preferred",
	1129: "it refuses this host after broken connections: an administrator can FLUSH HOSTS",
	1130: "no account may come from this host",
	1698: "the account is not for passwords (unix_socket, auth_socket): run opcost as that user of the system",
	1820: "its password has expired: change it with a client",
	3118: "an administrator can unlock it",
	4151: "an administrator can unlock it",
	3159: "it takes only connections with TLS: ?tls=preferred in the DSN, or ssl-mode=REQUIRED in the option file",
}

// loginError says what failed, for whom, and what to do. The driver's and the
// server's messages name user and host and never a password.
func loginError(c Credentials, s Server, err error) error {
	hint := ""
	var refused *mysql.MySQLError
	var mismatch *Mismatch
	switch {
	case errors.As(err, &mismatch):
		return mismatch
	case errors.As(err, &refused):
		hint = advice[refused.Number]
	case errors.Is(err, mysql.ErrNoTLS):
		hint = "the server offers no TLS: ?tls=false in the DSN does without"
	case errors.Is(err, syscall.ECONNREFUSED):
		hint = "nobody listens there: is the server up, and on that port?"
	case errors.Is(err, io.EOF), errors.Is(err, mysql.ErrInvalidConn):
		hint = "it hung up: is this a MySQL server's port?"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		hint = "it did not answer in time: it is stuck, or what listens there is no MySQL server"
	}
	where := s.String()
	if s.PID != 0 {
		where += " at " + s.Addr
	}
	if hint != "" {
		hint = "; " + hint
	}
	return fmt.Errorf("log in to %s as %s: %w%s", where, c, err, hint)
}
