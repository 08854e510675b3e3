package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	// Decodes a record in half the time that the standard library's first
	// version takes. It is the second, which will be encoding/json/v2.
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The checksum is over the file's compact JSON with the checksum's own value
// empty. It is taken from the text and not from the decoded run, so that a
// field added later, which we would not decode, does not look like a change.
// It is the last field, so that it can be found without decoding.
const (
	sumKey = `"checksum":"`
	sumEnd = `"}`
	sumLen = 2 * sha256.Size
)

// encode gives the text of run.json.
func encode(run Run) ([]byte, error) {
	run.Checksum = ""
	text, err := json.Marshal(run)
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(text, []byte(sumKey+sumEnd)) {
		return nil, errors.New("the checksum is not the record's last field")
	}
	sum := sha256.Sum256(text)
	text = append(text[:len(text)-len(sumEnd)], hex.EncodeToString(sum[:])...)
	return append(text, sumEnd+"\n"...), nil
}

// unchanged tells whether text is as encode wrote it. Spaces between the
// tokens do not count.
func unchanged(text []byte) bool {
	if sumHolds(bytes.TrimSuffix(text, []byte("\n"))) {
		return true
	}
	var compact bytes.Buffer
	return json.Compact(&compact, text) == nil && sumHolds(compact.Bytes())
}

func sumHolds(compact []byte) bool {
	at := len(compact) - len(sumEnd) - sumLen
	if at < len(sumKey) || !bytes.HasSuffix(compact[:at], []byte(sumKey)) || !bytes.HasSuffix(compact, []byte(sumEnd)) {
		return false
	}
	h := sha256.New()
	h.Write(compact[:at])
	h.Write([]byte(sumEnd))
	return hex.EncodeToString(h.Sum(nil)) == string(compact[at:at+sumLen])
}

var firstField = fmt.Sprintf(`{"schema":%d,`, Schema)

// schemaOf reads the schema alone, which every version of the record has at the
// top level. It stops there, as opcost writes it first.
func schemaOf(text []byte) (int, error) {
	if bytes.HasPrefix(text, []byte(firstField)) {
		return Schema, nil // as nearly all begin
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil {
		return 0, err
	} else if t != json.Delim('{') {
		return 0, errors.New("it is not a JSON object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return 0, err
		}
		if key != "schema" {
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return 0, err
			}
			continue
		}
		var schema int
		if err := d.Decode(&schema); err != nil {
			return 0, fmt.Errorf("its schema: %w", err)
		}
		return schema, nil
	}
	if _, err := d.Token(); err != nil {
		return 0, err
	}
	return 0, errors.New("it names no schema")
}

// decode reads the text of run.json into a run whose id must be id. The
// warning, if any, has a code and no path yet.
func decode(id string, text []byte) (Run, *Warning) {
	warn := func(code, format string, args ...any) (Run, *Warning) {
		return Run{}, &Warning{Code: code, Text: fmt.Sprintf(format, args...)}
	}
	schema, err := schemaOf(text)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return warn(CodeUnreadable, "it ends too soon: half-written, or cut")
	case err != nil:
		return warn(CodeUnreadable, "it is no record: %v", err)
	case schema > Schema:
		return warn(CodeSchema, "its schema is %d and this opcost knows up to %d; read it with a newer opcost", schema, Schema)
	case schema < 1:
		return warn(CodeInvalid, "its schema is %d, which never was", schema)
	}
	var run Run
	// A key given twice is no error here: the checksum tells.
	if err := jsonv2.Unmarshal(text, &run, jsontext.AllowDuplicateNames(true)); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return warn(CodeUnreadable, "it ends too soon: half-written, or cut")
		}
		return warn(CodeUnreadable, "it is no record: %v", err)
	}
	if !unchanged(text) {
		return warn(CodeChanged, "it was changed after it was written; restore it, or measure again")
	}
	if err := check(run); err != nil {
		return warn(CodeInvalid, "%v", err)
	}
	if run.ID != id {
		return warn(CodeInvalid, "its id is %q and its folder's name %q; a run's folder must keep its name", run.ID, id)
	}
	return run, nil
}
