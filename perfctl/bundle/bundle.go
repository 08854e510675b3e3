// Package bundle packs a comparison for a vendor's bug tracker: one page in
// Markdown, and beside it the plans, both configurations, the tables, the
// profiles and the raw evidence, in one tar file.
//
// What goes in is scrubbed: passwords, host names, addresses, users' names and
// values of data do not leave the machine (scrub.go says what is looked for).
// What cannot be scrubbed is left out, and named on the page. The same input
// gives the same bytes. It measures and compares nothing: texts are given to it.
package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// Input is what a bundle is made of.
type Input struct {
	Program     string // opcost's version
	Title       string // one line: the verdict
	Explanation string // Markdown
	Base, New   Side
	Commands    []string // that repeat it, in order, with the names that the files have in the bundle
	// Files are texts to put in as they are, but for scrubbing: tables, profiles
	// as tables and their difference, plans that isolate differences.
	Files []File
	// Hosts and Secrets are names and texts that must not be in it, besides those
	// of the records and those that look like it.
	Hosts, Secrets []string
}

// Side is one of the two that are compared.
type Side struct {
	Name string
	Runs []result.Run
	Plan []byte // the plan's text; nil where it is lost
}

// File is one in the bundle.
type File struct {
	Name string // with slashes
	Text []byte
	// About says on the page what it is.
	About string
}

// maxEvidence is how much evidence is taken in: a tracker's attachments are of
// some MB.
const maxEvidence = 64 << 20

// Files gives all the files of a bundle, scrubbed, by name in order, and what
// was left out with the reason.
func Files(in Input) ([]File, []string, error) {
	if len(in.Base.Runs) == 0 || len(in.New.Runs) == 0 {
		return nil, nil, errors.New("bundle: a side has no runs, so there is nothing to report")
	}
	s := newScrubber(in)
	var files []File
	var left []string
	add := func(name string, text []byte, about string) { files = append(files, File{name, text, about}) }
	for _, side := range []struct {
		name string
		Side
	}{{"base", in.Base}, {"new", in.New}} {
		switch text, err := s.yaml(side.Plan); {
		case side.name == "new" && len(side.Plan) > 0 && bytes.Equal(side.Plan, in.Base.Plan): // one plan measured both
		case len(side.Plan) == 0:
			left = append(left, "the plan of the "+side.name+": it is not among its results")
		case err != nil:
			left = append(left, fmt.Sprintf("the plan of the %s: it cannot be read, so it cannot be scrubbed (%v)", side.name, err))
		default:
			add("plan-"+side.name+".yaml", text, "what the "+side.name+" was measured by")
		}
		for _, r := range side.Runs {
			text, err := s.record(r)
			if err != nil {
				return nil, nil, fmt.Errorf("bundle: run %s: %w", r.ID, err)
			}
			add("runs/"+side.name+"/"+r.ID+"/run.json", text, "")
		}
		more, lacking := s.evidence(side.name, side.Runs)
		files, left = append(files, more...), append(left, lacking...)
	}
	for _, f := range in.Files {
		add(f.Name, []byte(s.lines(string(f.Text))), f.About)
	}
	add("README.md", s.page(in, files, left), "")
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	for i := range files {
		files[i].Name = s.name(files[i].Name)
		if i > 0 && files[i].Name == files[i-1].Name {
			return nil, nil, fmt.Errorf("bundle: two files are named %s", files[i].Name)
		}
		if what := s.leaks(files[i]); what != "" {
			return nil, nil, fmt.Errorf("bundle: %s still holds %s after scrubbing, so nothing was written: please report this fault of opcost", files[i].Name, what)
		}
	}
	return files, left, nil
}

// Write makes the file, whole or not at all. One that is there is refused. It
// gives what was left out, with the reasons.
func Write(path string, in Input) (left []string, err error) {
	files, left, err := Files(in)
	if err != nil {
		return nil, err
	}
	err = result.NewFile(path, 0o600, func(w io.Writer) error { return archive(w, path, files) })
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("bundle: %s is there already, and nothing is overwritten; give another name", path)
	}
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return left, nil
}

// archive writes the files as a compressed tar, in a folder named after it.
func archive(w io.Writer, path string, files []File) error {
	top := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".tar")
	z := gzip.NewWriter(w) // no name and no time in its header
	t := tar.NewWriter(z)
	for _, file := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: top + "/" + file.Name, Mode: 0o644, Size: int64(len(file.Text)), Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(file.Text); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}
