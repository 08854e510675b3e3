package main

import (
	"fmt"
	"os"
	"path/filepath"

	"opcost/perfctl/compare"
	"opcost/perfctl/noise"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

// noNoise is the --noise that uses no stored noise.
const noNoise = "none"

// noiseFile is where noise floors are stored: what --noise says, else the
// user's state folder (XDG Base Directory Specification); "" for none.
func noiseFile(flag string, getenv func(string) string) (string, error) {
	switch {
	case flag == noNoise:
		return "", nil
	case flag != "":
		return flag, nil
	}
	// The specification has relative paths ignored.
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "opcost", "noise.json"), nil
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "opcost", "noise.json"), nil
	}
	return "", fmt.Errorf("neither XDG_STATE_HOME nor HOME is set; name a file with --noise FILE")
}

// floor is the stored noise of the machines that the runs are of. What cannot
// be used is said, and done without.
func (s comparing) floor(con console, runs []result.Run) map[compare.NoiseKey]compare.Noise {
	path, err := noiseFile(s.Noise, os.Getenv)
	if err != nil || path == "" {
		return nil // there is nowhere it could be stored
	}
	if _, err := os.Stat(path); err != nil && s.Noise != "" {
		fmt.Fprintf(con.err, "warning: noise file: %v\n", err)
		return nil
	}
	entries, err := noise.Read(path)
	if err != nil {
		fmt.Fprintf(con.err, "warning: %v; it is not used\n", err)
		return nil
	}
	floor, notes := noise.Floor(entries, runs)
	for _, n := range notes {
		fmt.Fprintln(con.err, "warning:", n)
	}
	return floor
}

// storeNoise estimates the noise of A/A runs, stores it and prints it.
func (s comparing) storeNoise(con console, f report.Format, dir, path string) error {
	runs, warnings, err := result.Read(dir)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintln(con.err, "warning:", w.Text)
	}
	entries, err := noise.Entries(runs)
	if err != nil {
		return err
	}
	if err := noise.Write(path, entries); err != nil {
		return err
	}
	fmt.Fprintln(con.err, "stored in", path)
	return report.WriteNoise(con.out, f, entries)
}

// noiseTarget is the file that a noise floor will be stored in; what would make
// that fail is told before anything is measured.
func (s comparing) noiseTarget() (string, error) {
	path, err := noiseFile(s.Noise, os.Getenv)
	switch {
	case err != nil:
		return "", err
	case path == "":
		return "", fmt.Errorf("--noise none leaves --noise-floor without a file to store it in")
	}
	if _, err := noise.Read(path); err != nil {
		return "", fmt.Errorf("%w; move it away, or name another with --noise", err)
	}
	return path, nil
}
