package perfscript

import "fmt"

// warnings keeps the first few of each kind, and counts the rest.
type warnings struct {
	kinds []*kind
	count int64
}

type kind struct {
	what  string
	count int64
	first string // where, and what was there
}

func (w *warnings) add(line int, what string, text []byte) {
	w.count++
	for _, k := range w.kinds {
		if k.what == what {
			k.count++
			return
		}
	}
	at := fmt.Sprintf("line %d", line)
	if text != nil {
		at += ", " + quote(text)
	}
	w.kinds = append(w.kinds, &kind{what: what, count: 1, first: at})
}

// texts are the warnings, one a kind.
func (w *warnings) texts() []string {
	var all []string
	for _, k := range w.kinds {
		if k.count == 1 {
			all = append(all, fmt.Sprintf("%s: %s", k.first, k.what))
			continue
		}
		all = append(all, fmt.Sprintf("%s (%d such lines, the first: %s)", k.what, k.count, k.first))
	}
	return all
}
