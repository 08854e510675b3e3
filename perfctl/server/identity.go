package server

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	MySQL   = "mysql" // and what is built from it: Percona Server, XtraDB Cluster
	MariaDB = "mariadb"
)

// Identity is what a server binary says it is.
type Identity struct {
	Path        string `json:"path"`
	VersionText string `json:"version_text"` // the line of --version, whole
	Flavor      string `json:"flavor"`       // [MySQL] or [MariaDB]
	Number      string `json:"number"`       // 10.11.19: without prefix and suffixes
	Major       int    `json:"major"`
	Minor       int    `json:"minor"`
	Patch       int    `json:"patch"`
	Comment     string `json:"comment,omitempty"`  // the distributor's words in brackets: Percona Server (GPL), Release 24, ...
	Debug       bool   `json:"debug,omitempty"`    // a debug build says so in its suffix
	BuildID     string `json:"build_id,omitempty"` // GNU build id, hexadecimal; "" where the binary has none or is a script
}

// AtLeast tells whether the version is major.minor.patch or later. Numbers of
// the two flavors mean different things: ask for the flavor first.
func (i Identity) AtLeast(major, minor, patch int) bool {
	if i.Major != major {
		return i.Major > major
	}
	if i.Minor != minor {
		return i.Minor > minor
	}
	return i.Patch >= patch
}

func (i Identity) String() string {
	if i.Flavor == MariaDB {
		return "MariaDB " + i.Number
	}
	return "MySQL " + i.Number
}

var (
	verToken      = regexp.MustCompile(`\bVer\s+(\S+)`)
	versionNumber = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)(.*)$`)
	// MariaDB 10.x put 5.5.5- in front of its version in the handshake, so that
	// old replicas would take it (dropped with 11.0, MDEV-28910).
	replicaPrefix = regexp.MustCompile(`^5\.5\.5-(\d+\.\d+\.\d+)`)
	comment       = regexp.MustCompile(`\((.*)\)\s*$`)
)

// ParseVersion reads what `mysqld --version` prints ("mysqld  Ver 8.0.32-24 for
// Linux on x86_64 (Percona Server ...)") or a bare version string as VERSION()
// or the handshake give it.
func ParseVersion(text string) (Identity, error) {
	text = strings.TrimSpace(text)
	id := Identity{VersionText: text, Flavor: MySQL}
	token := text
	if m := verToken.FindStringSubmatch(text); m != nil {
		token = m[1]
	}
	if m := replicaPrefix.FindStringSubmatch(token); m != nil {
		token = strings.TrimPrefix(token, "5.5.5-")
	}
	m := versionNumber.FindStringSubmatch(token)
	if m == nil {
		return Identity{}, fmt.Errorf("no server version in %q: expected what `mysqld --version` prints, such as \"mysqld  Ver 8.0.36 for Linux on x86_64\"", text)
	}
	for i, n := range []*int{&id.Major, &id.Minor, &id.Patch} {
		v, err := strconv.Atoi(m[i+1])
		if err != nil {
			return Identity{}, fmt.Errorf("%s is no version of a server, in %q", m[i+1], text)
		}
		*n = v
	}
	id.Number = m[1] + "." + m[2] + "." + m[3]
	if strings.Contains(strings.ToLower(text), "mariadb") {
		id.Flavor = MariaDB
	}
	id.Debug = strings.Contains(strings.ToLower(m[4]), "-debug")
	if c := comment.FindStringSubmatch(text); c != nil {
		id.Comment = c[1]
	}
	return id, nil
}

// Identify asks a server binary for its version. The launcher and the
// environment are those it will be started with: a binary of a foreign tree
// may not run without.
func Identify(ctx context.Context, binary string, launcher []string, env map[string]string) (Identity, error) {
	argv := append(append([]string{}, launcher...), binary, "--no-defaults", "--version")
	out, err := runTool(ctx, argv, env)
	if err != nil {
		return Identity{}, fmt.Errorf("ask %s for its version: %w", strings.Join(argv[:len(launcher)+1], " "), err)
	}
	// A launcher or an old server may print other lines before or after.
	text := out
	for line := range strings.Lines(out) {
		if verToken.MatchString(line) {
			text = line
			break
		}
	}
	id, err := ParseVersion(text)
	if err != nil {
		return Identity{}, fmt.Errorf("%s: %w", binary, err)
	}
	// The path is the binary's own; a folder named mariadb-11 proves nothing.
	if own, err := ParseVersion(strings.TrimPrefix(id.VersionText, binary)); err == nil {
		id.Flavor = own.Flavor
	}
	id.Path = binary
	id.BuildID = buildID(binary)
	return id, nil
}

// buildID reads the GNU build id note (ELF note type 3, name "GNU").
func buildID(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil {
		return ""
	}
	return parseBuildID(data, f.ByteOrder)
}

func parseBuildID(note []byte, order binary.ByteOrder) string {
	const header = 12
	if len(note) < header {
		return ""
	}
	name, size, kind := order.Uint32(note), order.Uint32(note[4:]), order.Uint32(note[8:])
	begin := header + uint64(name+3)&^3
	end := begin + uint64(size)
	if kind != 3 || end > uint64(len(note)) {
		return ""
	}
	return hex.EncodeToString(note[begin:end])
}
