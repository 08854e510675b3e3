package server

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"

	"opcost/perfctl/plan"
)

// hidden stands for a secret.
const hidden = "(hidden)"

// secrets are the values of a defaults file that must not get out of it. A
// server quotes an option that it does not take, value and all.
func secrets(file []option) (values []string) {
	for _, o := range file {
		if v := o.value(); len(v) > 2 && plan.IsSecret(o.plainName(), v) && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	// The longest first: one may be the beginning of another.
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	return values
}

// said is the end of a log, without secrets.
func (s *Site) said(path string) string {
	text := readTail(path)
	for _, secret := range secrets(s.file) {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}

// maxHidden bounds a log that secrets are taken out of. They are quoted at a
// start; a log that is larger was filled with something else.
const maxHidden = 64 << 20

// clean takes secrets out of the log of a server that has ended, which stays
// beside the results. It is no fault of a run if that fails.
func (s *Site) clean(path string) {
	values := secrets(s.file)
	if values == nil {
		return
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxHidden+1))
	if err != nil || len(text) > maxHidden {
		return
	}
	out := text
	for _, v := range values {
		out = bytes.ReplaceAll(out, []byte(v), []byte(hidden))
	}
	if bytes.Equal(out, text) {
		return
	}
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(out, 0)
	}
}
