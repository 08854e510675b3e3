package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"opcost/perfctl/result"
)

var (
	isSecret = regexp.MustCompile(`(?i)^` + secretKey + `$`)
	// isPlace names what holds a host, or an account.
	isPlace = regexp.MustCompile(`(?i)(^|[_-])(host|hostname|address|url|uri|dsn|user|init_connect|init-connect)$`)
)

// record is a run's record, scrubbed. Its checksum would no longer fit.
func (s *scrubber) record(r result.Run) ([]byte, error) {
	r.Checksum = ""
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return s.json(text, nil)
}

// json scrubs a document, value by value; each, if given, decides on a text
// first.
func (s *scrubber) json(text []byte, each func(string) (string, bool)) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // a count must not go through a float
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(s.value("", v, each)); err != nil { // keys come sorted
		return nil, err
	}
	return b.Bytes(), nil
}

func (s *scrubber) value(key string, v any, each func(string) (string, bool)) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for k, x := range v {
			name := s.text(k)
			for n := 2; m[name] != nil; n++ { // two statements that differ in a value
				name = fmt.Sprintf("%s #%d", s.text(k), n)
			}
			m[name] = s.value(k, x, each)
		}
		return m
	case []any:
		for i := range v {
			v[i] = s.value(key, v[i], each)
		}
		return v
	case string:
		return s.keyed(key, v, each)
	}
	return v
}

// keyed scrubs a text that is called something.
func (s *scrubber) keyed(key, v string, each func(string) (string, bool)) string {
	if v == "" {
		return v
	}
	if isSecret.MatchString(key) && !regexp.MustCompile(`(?i)^(ON|OFF|0|1|TRUE|FALSE)$`).MatchString(v) {
		return removed
	}
	if isPlace.MatchString(key) && key != "bind_address" {
		if out := s.words(v); out != v && strings.HasPrefix(out, "host-") {
			return out // the record's own host, by its number
		}
		return removed
	}
	if each != nil {
		if out, done := each(v); done {
			return out
		}
	}
	return s.text(v)
}

// yaml scrubs a plan. Its comments go: they may say anything.
func (s *scrubber) yaml(text []byte) ([]byte, error) {
	var plan yaml.MapSlice
	if err := yaml.Unmarshal(text, &plan); err != nil {
		return nil, err
	}
	return yaml.Marshal(s.yamlValue("", plan))
}

func (s *scrubber) yamlValue(key string, v any) any {
	switch v := v.(type) {
	case yaml.MapSlice:
		out := make(yaml.MapSlice, len(v))
		for i, it := range v {
			k := fmt.Sprint(it.Key)
			out[i] = yaml.MapItem{Key: s.text(k), Value: s.yamlValue(k, it.Value)}
		}
		return out
	case map[string]any:
		m := map[string]any{}
		for k, x := range v {
			m[s.text(k)] = s.yamlValue(k, x)
		}
		return m
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.yamlValue(key, v[i])
		}
		return out
	case string:
		return s.keyed(key, v, nil)
	}
	return v
}
