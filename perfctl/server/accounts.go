package server

import (
	"context"
	"fmt"
	"strings"
)

// clientUser is the account of the load over TCP. It has no password, so that no
// driver needs one in its arguments, and may do nothing but use the load's
// database: every user of this machine can log in as it while a server with TCP
// runs. root, who can have the server read and write files as the user it runs
// as, logs in over the private socket alone.
const (
	clientUser = "opcost"
	clientHost = "127.0.0.1"
)

// keepOut takes away what could log in over TCP, and lets the load's account in. A
// server that is given --skip-name-resolve takes 127.0.0.1 for no localhost.
func (s *Site) keepOut(ctx context.Context, c *Control) error {
	// Roles of MariaDB have no host. What is left at localhost is root, MySQL's own
	// accounts, which are locked, and MariaDB's, which have no password that fits.
	rows, err := c.Query(ctx, "SELECT user, host FROM mysql.user WHERE host <> '' AND (host <> 'localhost' OR user = '')")
	if err != nil {
		return fmt.Errorf("who may log in: %w", err)
	}
	statements := []string{}
	there := false
	for _, r := range rows {
		if r[0] == clientUser && r[1] == clientHost {
			there = true
			continue
		}
		statements = append(statements, "DROP USER "+account(r[0], r[1]))
	}
	client := account(clientUser, clientHost)
	if !there {
		statements = append(statements, "CREATE USER "+client)
	}
	if s.spec.Database != "" {
		statements = append(statements, "GRANT ALL PRIVILEGES ON `"+strings.ReplaceAll(s.spec.Database, "`", "``")+"`.* TO "+client)
	}
	for _, sql := range statements {
		if _, err := c.Query(ctx, sql); err != nil {
			return fmt.Errorf("accounts for a load over TCP: %s: %w", sql, err)
		}
	}
	return nil
}

// account writes one as a statement has it.
func account(user, host string) string {
	quote := strings.NewReplacer(`\`, `\\`, "'", "''")
	return "'" + quote.Replace(user) + "'@'" + quote.Replace(host) + "'"
}

// beforeTCP makes sure, before the server first listens on TCP, that nobody else
// can log in as root there: it is started once without TCP for that.
func (s *Site) beforeTCP(ctx context.Context, o StartOptions, given []option) error {
	if s.state.Closed {
		return nil
	}
	i, err := s.startOnce(ctx, StartOptions{CPUs: o.CPUs, Timeout: o.Timeout}, given)
	if err != nil {
		return err
	}
	i.unlock = func() {} // the site stays locked
	err = s.keepOut(ctx, i.control)
	if stopped := i.Stop(ctx); err == nil {
		err = stopped
	}
	if err != nil {
		return s.errorf("%w", err)
	}
	s.state.Closed = true
	if err := s.writeState(); err != nil {
		return s.errorf("%w", err)
	}
	return nil
}
