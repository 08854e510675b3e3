package server

import "database/sql/driver"

// NewControl is a control connection over a connection that was made
// elsewhere: to a server that is not ours.
func NewControl(conn driver.Conn) *Control { return &Control{conn: conn} }

// Close ends the connection.
func (c *Control) Close() { c.close() }
