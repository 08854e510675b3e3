package perfstat

import (
	"io"

	"opcost/perfctl/result"
)

func parseAnyCSV(r io.Reader) (Counts, []result.Warning, error) { return ParseCSV(r, "") }
