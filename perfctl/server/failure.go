package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

// StartError is a server that did not initialise or start: what its log says,
// and which option it refused.
type StartError struct {
	Server  string   // the plan's name
	Doing   string   // "initialise with ...", "start"
	Lines   []string // the log's error lines; where it has none, its last lines
	Refused string   // the option, "" when the log names none
	Origin  string   // where that option came from; "" when unknown
	Log     string   // the log's path
	Remedy  string
	Err     error // how the process ended, or what was waited for
}

func (e *StartError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "server %s did not %s: %v", e.Server, e.Doing, e.Err)
	if e.Refused != "" {
		fmt.Fprintf(&b, "\n  refused option: %s", e.Refused)
		if e.Origin != "" {
			fmt.Fprintf(&b, " (from %s)", e.Origin)
		}
	}
	for _, line := range e.Lines {
		fmt.Fprintf(&b, "\n  | %s", line)
	}
	fmt.Fprintf(&b, "\n  its log: %s", e.Log)
	if e.Remedy != "" {
		fmt.Fprintf(&b, "\n  %s", e.Remedy)
	}
	return b.String()
}

func (e *StartError) Unwrap() error { return e.Err }

// failed explains a failure by the server's log.
func (s *Site) failed(doing string, err error, logPath string, given []option) *StartError {
	name := s.spec.Name
	if name == "" {
		name = s.spec.Mysqld
	}
	text := s.said(logPath)
	e := &StartError{Server: name, Doing: doing, Err: err, Log: logPath, Lines: errorLines(text)}
	e.Refused = refusedOption(text)
	switch {
	case e.Refused != "":
		e.Origin = origin(e.Refused, slices.Concat(given, s.file))
		e.Remedy = fmt.Sprintf("%s does not know it, or not with this value: take it out for this version, or write loose_%s to have it ignored where a version lacks it", s.Identity, e.Refused)
	case permissionDenied(text):
		e.Remedy = s.apparmorRemedy()
	case tooManyFiles(text):
		e.Remedy = "a program may have too few files open here: raise that limit, as by `ulimit -n 4096`, before opcost is started"
	}
	return e
}

var errorLine = regexp.MustCompile(`\[ERROR\]|^ERROR:|^FATAL|[Ff]atal error|unknown (variable|option)|ambiguous option|error while loading shared libraries|cannot open shared object|^valgrind: |got signal \d+`)

// errorLines are a log's error lines, at most 12, each once; where it has none,
// its last 5 lines.
func errorLines(log string) []string {
	var lines []string
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		// "Aborting" follows every error and says nothing.
		if !errorLine.MatchString(line) || strings.HasSuffix(line, "Aborting") || slices.Contains(lines, line) {
			continue
		}
		if lines = append(lines, line); len(lines) == 12 {
			break
		}
	}
	if lines == nil {
		return lastLines(log, 5)
	}
	return lines
}

// refusals are the servers' words for an option they do not take, 5.0 to 9.x.
var refusals = []*regexp.Regexp{
	regexp.MustCompile(`unknown (?:variable|option) '(?:--)?([^'=]+)(?:=[^']*)?'`),
	regexp.MustCompile(`ambiguous option '(?:--)?([^'=]+)(?:=[^']*)?'`),
	regexp.MustCompile(`option '(?:--)?([^'=]+)' (?:requires|cannot take) an argument`),
	regexp.MustCompile(`[Ee]rror while setting value '[^']*' to '([^']+)'`),
	regexp.MustCompile(`Unknown suffix '.' used for variable '([^']+)'`),
}

func refusedOption(log string) string {
	for _, re := range refusals {
		if m := re.FindStringSubmatch(log); m != nil {
			return m[1]
		}
	}
	return ""
}

// origin is where an option came from. Later options win, so the last is named.
func origin(name string, options []option) string {
	want := option{Text: "--" + name}.plainName()
	from := ""
	for _, o := range options {
		if o.plainName() == want {
			from = o.From
		}
	}
	return from
}

// readTail is the end of a log, at most 256 KiB. What cannot be read is said in
// its place.
func readTail(path string) string {
	const most = 256 << 10
	f, err := os.Open(path)
	if err != nil {
		return fmt.Sprintf("(its log cannot be read: %v)", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Sprintf("(its log cannot be read: %v)", err)
	}
	size := min(info.Size(), most)
	text := make([]byte, size)
	n, _ := f.ReadAt(text, info.Size()-size) // short only when the log was cut meanwhile
	return string(text[:n])
}

func permissionDenied(log string) bool {
	return strings.Contains(log, "Permission denied") || strings.Contains(log, "Errcode: 13") || strings.Contains(log, "OS errno 13") ||
		strings.Contains(log, "error number 13")
}

func tooManyFiles(log string) bool {
	return strings.Contains(log, "Too many open files") || strings.Contains(log, "Errcode: 24") || strings.Contains(log, "OS errno 24")
}

const apparmorProfiles = "/sys/kernel/security/apparmor/profiles"

// apparmorRemedy says what to do where AppArmor may be what denied the server
// its folders: they are ours and their mode is right.
func (s *Site) apparmorRemedy() string {
	text, err := os.ReadFile(apparmorProfiles)
	if errors.Is(err, fs.ErrPermission) {
		// Only root reads the list; the profile's file is open to all.
		if _, err := os.Stat("/etc/apparmor.d/usr.sbin.mysqld"); err == nil {
			return apparmorText("usr.sbin.mysqld")
		}
	}
	if profile := enforcedProfile(string(text), s.spec.Mysqld); profile != "" {
		return apparmorText(profile)
	}
	return ""
}

// enforcedProfile finds the profile that confines the server in the kernel's
// list ("/usr/sbin/mysqld (enforce)").
func enforcedProfile(profiles, binary string) string {
	for line := range strings.Lines(profiles) {
		name, mode, _ := strings.Cut(strings.TrimSpace(line), " ")
		server := strings.HasSuffix(name, "mysqld") || strings.HasSuffix(name, "mariadbd") || name == binary
		if server && mode == "(enforce)" {
			return name
		}
	}
	return ""
}

func apparmorText(profile string) string {
	return fmt.Sprintf("AppArmor's profile %s keeps the server out of private folders. As root: aa-complain %s (apparmor-utils), or allow the folder in /etc/apparmor.d/local/usr.sbin.mysqld and reload with `apparmor_parser -r /etc/apparmor.d/usr.sbin.mysqld`; a copy of the binary at another path is not confined", profile, profile)
}
