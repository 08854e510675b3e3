package result

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// FileID is the id of a run in a file of its own.
const FileID = "attached"

// WriteFile writes one run to a file of its own, in the format of run.json: whole
// or not at all. A file that exists is not overwritten.
func WriteFile(path string, run Run) error {
	run.ID = FileID
	text, err := encode(run)
	if err != nil {
		return err
	}
	err = NewFile(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is left as it is: give another name, or remove it", path)
	}
	return err
}

// ReadFile reads what WriteFile wrote. A file that is damaged, changed after it
// was written, or of a newer opcost is an error that says so.
func ReadFile(path string) (Run, error) {
	text, err := readRegular(path, nil)
	if err != nil {
		return Run{}, fmt.Errorf("%s: %w", path, err)
	}
	run, w := decode(FileID, text)
	if w != nil {
		return Run{}, fmt.Errorf("%s: %s", path, w.Text)
	}
	return run, nil
}
