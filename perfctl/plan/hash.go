package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// hash is of what a plan measures: equal for equal meanings, however they are
// written. A defaults file counts with its content, not with its name. The
// server binaries count with their paths; what they are is known only when
// they run. 16 hex digits.
func hash(p *Plan, defaultsFiles map[string][]byte) string {
	c := *p
	c.File, c.Hash = "", ""
	c.Options = nil // they are in each version's
	c.Versions = slices.Clone(p.Versions)
	for i := range c.Versions {
		v := &c.Versions[i]
		v.Options = slices.Clone(v.Options)
		for j, o := range v.Options {
			name, value, has := strings.Cut(o, "=")
			v.Options[j] = strings.ReplaceAll(name, "_", "-")
			if has {
				v.Options[j] += "=" + value
			}
		}
		if v.DefaultsFile != "" {
			sum := sha256.Sum256(defaultsFiles[v.DefaultsFile])
			v.DefaultsFile = hex.EncodeToString(sum[:])
		}
	}
	text, err := json.Marshal(c) // map keys come sorted
	if err != nil {
		panic("a plan holds only texts and numbers: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
