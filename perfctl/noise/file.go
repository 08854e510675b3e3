package noise

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Schema is the version of the file.
const Schema = 1

const (
	fileKind = "opcost noise floor"
	maxFile  = 16 << 20
)

// file is the JSON on disk. The checksum is over the entries' JSON without
// spaces: it finds what was changed by hand, or cut off.
type file struct {
	Kind     string          `json:"kind"`
	Schema   int             `json:"schema"`
	Entries  json.RawMessage `json:"entries"`
	Checksum string          `json:"checksum"`
}

// Read gives the entries of a noise file; none, and no error, where there is no
// file. The error names the file and says why it cannot be believed.
func Read(path string) ([]Entry, error) {
	st, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("noise file: %w", err)
	case !st.Mode().IsRegular(): // a FIFO would block, a link may lead anywhere
		return nil, fmt.Errorf("noise file %s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("noise file: %w", err)
	}
	defer f.Close()
	entries, err := parse(f)
	if err != nil {
		return nil, fmt.Errorf("noise file %s: %w", path, err)
	}
	return entries, nil
}

// parse reads a noise file's text.
func parse(r io.Reader) ([]Entry, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("it has more than %d MiB", maxFile>>20)
	}
	var f file
	if err := json.Unmarshal(text, &f); err != nil || f.Kind != fileKind {
		return nil, errors.New("it was not written by opcost")
	}
	if f.Schema != Schema {
		return nil, fmt.Errorf("it was written by another opcost (schema %d; this one reads %d)", f.Schema, Schema)
	}
	if sum, err := checksum(f.Entries); err != nil || sum != f.Checksum {
		return nil, errors.New("it was changed after it was written, or is cut off")
	}
	var entries []Entry
	if err := json.Unmarshal(f.Entries, &entries); err != nil {
		return nil, fmt.Errorf("its entries cannot be read: %w", err)
	}
	for _, e := range entries {
		if !(e.SD > 0) || math.IsInf(e.SD, 1) || !(e.DF > 0) || e.Metric == "" || e.Machine.Host == "" {
			return nil, fmt.Errorf("an entry makes no sense: %s %s of %s with SD %g, %g df", e.Metric, e.Source, e.Machine.Host, e.SD, e.DF)
		}
	}
	return entries, nil
}

// Write adds entries to a noise file, which appears whole or not at all; its
// folder is made where it is missing (mode 0700). A file that [Read] does not
// believe is left alone.
func Write(path string, new []Entry) (err error) {
	old, err := Read(path)
	if err != nil {
		return fmt.Errorf("%w; move it away, or name another with --noise", err)
	}
	text, err := encode(Merge(old, new))
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("noise file: %w", err)
	}
	tmp, err := os.CreateTemp(dir, ".new-noise-")
	if err != nil {
		return fmt.Errorf("noise file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name()) // the first error is the one to tell
		}
	}()
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("noise file %s: %w", path, err)
	}
	return nil
}

func encode(entries []Entry) ([]byte, error) {
	raw, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	sum, err := checksum(raw)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(file{fileKind, Schema, raw, sum}, "", " ")
	return append(text, '\n'), err
}

func checksum(entries json.RawMessage) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, entries); err != nil {
		return "", err
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:]), nil
}
