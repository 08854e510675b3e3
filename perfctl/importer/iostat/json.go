package iostat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"opcost/perfctl/result"
)

const maxJSON = 64 << 20

// parseJSON reads iostat -o JSON, as sysstat 12 writes it.
func parseJSON(r io.Reader) (Output, []result.Warning, error) {
	var doc struct {
		Sysstat struct {
			Hosts []struct {
				Nodename   string           `json:"nodename"`
				Release    string           `json:"release"`
				CPUs       int              `json:"number-of-cpus"`
				Date       string           `json:"date"`
				Statistics []jsonStatistics `json:"statistics"`
			} `json:"hosts"`
		} `json:"sysstat"`
	}
	if err := json.NewDecoder(io.LimitReader(r, maxJSON)).Decode(&doc); err != nil {
		return Output{}, nil, fmt.Errorf("no JSON of iostat: %w", err)
	}
	if len(doc.Sysstat.Hosts) != 1 {
		return Output{}, nil, fmt.Errorf("iostat's JSON is of %d hosts; one is read", len(doc.Sysstat.Hosts))
	}
	h := doc.Sysstat.Hosts[0]
	o := Output{Kernel: h.Release, Host: h.Nodename, Date: h.Date, CPUs: h.CPUs}
	for _, s := range h.Statistics {
		o.Reports = append(o.Reports, s.report())
	}
	if len(o.Reports) == 0 {
		return Output{}, nil, errors.New("iostat's JSON has no statistics")
	}
	return o, nil, nil
}

type jsonStatistics struct {
	Time string                       `json:"timestamp"`
	CPU  map[string]float64           `json:"avg-cpu"`
	Disk []map[string]json.RawMessage `json:"disk"`
}

func (s jsonStatistics) report() Report {
	r := Report{Time: s.Time, CPU: s.CPU}
	for _, disk := range s.Disk {
		d := Device{Values: map[string]float64{}}
		for column, raw := range disk {
			var v float64
			if column == "disk_device" {
				_ = json.Unmarshal(raw, &d.Name) // else it has no name, and is left out
			} else if json.Unmarshal(raw, &v) == nil && v >= 0 {
				// The text's names, but for a few: "util" is "%util".
				d.Values[column] = v
			}
		}
		// A group's sum (-g) has a name that begins with a space.
		if d.Name != "" && !strings.HasPrefix(d.Name, " ") {
			r.Devices = append(r.Devices, d)
		}
	}
	return r
}
