package bundle

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"opcost/perfctl/result"
	"opcost/profiles/pprof"
)

// kinds of evidence that can be scrubbed, by what their names end in. All else
// is left out: perf.data holds the host's name and command lines of every
// program, scripts of drivers hold the statements with their values.
var kinds = []struct {
	end   string
	scrub func(*scrubber, []byte) ([]byte, error)
}{
	{result.ProfileFile, (*scrubber).profile},
	{"-status.json", (*scrubber).status},
	{".perfstat.json", (*scrubber).rows},
	{".perfstat.csv", (*scrubber).rows},
	{"-host.json", (*scrubber).document},
	{"-proc.json", (*scrubber).document},
	{"-threads.json", (*scrubber).document},
	{"-digest.json", (*scrubber).document},
	{".out.gz", (*scrubber).callgrind},
}

// evidence reads the raw outputs of the runs.
func (s *scrubber) evidence(side string, runs []result.Run) (files []File, left []string) {
	size := 0
	var others []string
	for _, r := range runs {
		entries, err := r.EvidenceEntries()
		if err != nil {
			left = append(left, "the evidence of "+r.ID+": it cannot be read")
			continue
		}
		for _, e := range entries {
			name := e.Name()
			i := slices.IndexFunc(kinds, func(k struct {
				end   string
				scrub func(*scrubber, []byte) ([]byte, error)
			}) bool {
				return strings.HasSuffix(name, k.end)
			})
			if i < 0 || !e.Type().IsRegular() {
				others = append(others, r.ID+"/"+name)
				continue
			}
			text, err := read(r, name, maxEvidence-size)
			if err == nil {
				text, err = kinds[i].scrub(s, text)
			}
			if err != nil {
				left = append(left, fmt.Sprintf("%s/%s: %v", r.ID, name, withoutPath(err)))
				continue
			}
			size += len(text)
			files = append(files, File{Name: path.Join("runs", side, r.ID, "evidence", name), Text: text})
		}
	}
	if len(others) > 0 {
		left = append(left, fmt.Sprintf("%s of the %s, of kinds that may hold names of programs, hosts or data: %s", count(len(others), "file"), side, strings.Join(others[:min(len(others), 6)], ", ")+more(len(others)-6)))
	}
	return files, left
}

// read gives a file of evidence, if there is room for it.
func read(r result.Run, name string, room int) ([]byte, error) {
	path, err := r.EvidenceFile(name, maxEvidence)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err == nil && len(text) > room {
		err = fmt.Errorf("there is more than %d MB of evidence", maxEvidence>>20)
	}
	return text, err
}

func more(n int) string {
	if n > 0 {
		return fmt.Sprintf(" and %d more", n)
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func withoutPath(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

func (s *scrubber) document(text []byte) ([]byte, error) { return s.json(text, nil) }

// countable is what a status variable may be and say nothing of its owner.
var countable = regexp.MustCompile(`^(?:[-+0-9.eE]*|ON|OFF|YES|NO|NONE|Primary|Synced|Disconnected)$`)

// status keeps numbers and switches: other variables hold keys, addresses,
// certificates' names.
func (s *scrubber) status(text []byte) ([]byte, error) {
	return s.json(text, func(v string) (string, bool) {
		if countable.MatchString(v) {
			return v, true
		}
		return removed, true
	})
}

// rows are perf stat's; its comment in the first line says when.
func (s *scrubber) rows(text []byte) ([]byte, error) { return []byte(s.lines(string(text))), nil }

// callgrind is a compressed file of callgrind's, without its command line.
func (s *scrubber) callgrind(text []byte) ([]byte, error) {
	text, err := unzip(text)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "cmd:") {
			b.WriteString(s.words(line))
		}
	}
	return zip([]byte(b.String()))
}

// profile is one of pprof's: functions stay, what its makers wrote goes.
func (s *scrubber) profile(text []byte) ([]byte, error) {
	plain, err := pprof.Bounded(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseUncompressed(plain)
	if err != nil {
		return nil, err
	}
	p.Comments, p.TimeNanos = nil, 0
	for _, m := range p.Mapping {
		m.File = s.words(m.File)
	}
	for _, f := range p.Function {
		f.Filename, f.Name, f.SystemName = s.words(f.Filename), s.words(f.Name), s.words(f.SystemName)
	}
	for _, sample := range p.Sample {
		for k, vs := range sample.Label {
			for i := range vs {
				vs[i] = s.text(vs[i])
			}
			sample.Label[k] = vs
		}
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// maxText bounds what a compressed file may unfold to.
const maxText = 256 << 20

func unzip(text []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, maxText+1))
	if err == nil && len(out) > maxText {
		err = fmt.Errorf("it unfolds to more than %d MB", maxText>>20)
	}
	return out, err
}

func zip(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	err = errors.Join(err, z.Close()) // writes what is left
	return b.Bytes(), err
}

// plain is a file's text, unfolded.
func plain(f File) ([]byte, error) {
	if strings.HasSuffix(f.Name, ".gz") {
		return unzip(f.Text)
	}
	return f.Text, nil
}
