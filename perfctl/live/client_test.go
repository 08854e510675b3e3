package live

import (
	"database/sql"
	"fmt"

	"github.com/go-sql-driver/mysql"
)

// run is the tests' own way to a server, apart from what is tested.
func run(socket string, statements ...string) (string, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = "root", "unix", socket
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return "", err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	db.SetMaxOpenConns(1)
	var cell sql.NullString
	for _, text := range statements {
		rows, err := db.Query(text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", text, err)
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			rest := make([]any, len(columns))
			for i := range rest {
				rest[i] = new(sql.RawBytes)
			}
			rest[len(rest)-1] = &cell
			if err := rows.Scan(rest...); err != nil {
				return "", err
			}
		}
		if err := rows.Err(); err != nil {
			return "", err
		}
	}
	return cell.String, nil
}
