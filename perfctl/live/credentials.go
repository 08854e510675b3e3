package live

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Sources are where a login may come from. Each part of it (user, password,
// TLS) is taken from the first source that has it, the more explicit first:
//
//  1. the DSN; User
//  2. DefaultsFile, its [client]
//  3. Password, which is the value of MYSQL_PWD
//  4. Home/.my.cnf, its [client] (not read when DefaultsFile is given)
//  5. Prompt; for the user, the name of the user who runs us
//
// (The mysql client takes ~/.my.cnf before MYSQL_PWD.)
type Sources struct {
	DSN          string                                // "": none
	User         string                                // "": none
	DefaultsFile string                                // the value of --defaults-file; "": none
	Password     string                                // the value of MYSQL_PWD; "": none
	Home         string                                // "": no .my.cnf is read
	Prompt       func(question string) (string, error) // nil: nobody is asked
}

// Credentials are a login. They print without the password.
type Credentials struct {
	User         string
	PasswordFrom string // "MYSQL_PWD", "the DSN", the option file's path, "the prompt"; "": there is none
	TLS          string // true, false, skip-verify, preferred; "": preferred over TCP, none over a socket
	// Where an option file says that the user's server is; "" and 0 if it does
	// not. Find does not look at them.
	Socket, Host string
	Port         int
	Warnings     []Warning

	ca       string  // file with the authorities to trust; "": the system's
	password *string // a pointer, so that no printing of a struct shows it
}

// String is the login for people.
func (c Credentials) String() string {
	if c.PasswordFrom == "" {
		return c.User + " without a password"
	}
	return c.User + " with the password from " + c.PasswordFrom
}

// ReadCredentials gathers a login; see [Sources]. Its errors hold no password.
func ReadCredentials(s Sources) (Credentials, error) {
	var c Credentials
	if s.DSN != "" {
		d, err := parseDSN(s.DSN)
		if err != nil {
			return Credentials{}, err
		}
		c.User, c.TLS = d.user, d.tls
		c.offer(d.password, "the DSN")
		if d.password != "" {
			c.Warnings = append(c.Warnings, warnf("the DSN holds a password, which every user of this machine can see in the list of processes: give it by MYSQL_PWD, by --defaults-file or when asked"))
		}
	}
	if s.User != "" && c.User != "" && s.User != c.User {
		return Credentials{}, fmt.Errorf("two users are given: %s and, in the DSN, %s", s.User, c.User)
	}
	c.User = first(c.User, s.User)
	ask := false
	if s.DefaultsFile != "" {
		if err := c.readFile(s.DefaultsFile, true, &ask); err != nil {
			return Credentials{}, err
		}
	}
	c.offer(s.Password, "MYSQL_PWD")
	if s.DefaultsFile == "" && s.Home != "" {
		if err := c.readFile(filepath.Join(s.Home, ".my.cnf"), false, &ask); err != nil {
			return Credentials{}, err
		}
	}
	if c.User == "" {
		c.User = ownName()
	}
	if c.password != nil {
		return c, nil
	}
	if s.Prompt != nil {
		password, err := s.Prompt(fmt.Sprintf("Password of %s: ", c.User))
		if err != nil {
			return Credentials{}, fmt.Errorf("ask for the password of %s: %w", c.User, err)
		}
		c.offer(password, "the prompt")
	} else if ask {
		c.Warnings = append(c.Warnings, warnf("the option file wants a password to be asked for, and nobody can be asked here: give it by MYSQL_PWD"))
	}
	return c, nil
}

// offer takes a password unless there is one already.
func (c *Credentials) offer(password, from string) {
	if password != "" && c.password == nil {
		c.password, c.PasswordFrom = &password, from
	}
}

// readFile takes from an option file what is not known yet. One that was not
// asked for by name may be absent or faulty.
func (c *Credentials) readFile(path string, named bool, ask *bool) error {
	fail := func(format string, args ...any) error {
		err := fmt.Errorf("option file "+path+": "+format, args...)
		if named {
			return err
		}
		c.Warnings = append(c.Warnings, Warning{err.Error()})
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil
	case err != nil:
		return fail("%w", errors.Unwrap(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fail("%w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return fail("this is no file")
	case info.Mode()&0o002 != 0:
		return fail("it is not read, because everybody can write to it: chmod 600 %s", path)
	}
	const most = 1 << 20
	o, err := parseOptionFile(io.LimitReader(f, most))
	if err != nil {
		return fail("%w", err)
	}
	if len(o.includes) > 0 {
		if err := fail("other files are not read through it (%s): put user and password into [client] of one file", strings.Join(o.includes, "; ")); err != nil {
			return err
		}
	}
	if o.values["password"] != "" && info.Mode()&0o044 != 0 {
		c.Warnings = append(c.Warnings, warnf("option file %s holds a password, and other users can read it (mode %o): chmod 600 %s", path, info.Mode().Perm(), path))
	}
	if slices.Contains(o.bare, "password") {
		*ask = true
	}
	c.User = first(c.User, o.values["user"])
	c.offer(o.values["password"], path)
	if c.TLS == "" {
		if c.TLS, err = o.tls(); err != nil {
			return fail("%w", err)
		}
	}
	c.ca = first(c.ca, o.values["ssl-ca"])
	c.Socket, c.Host = first(c.Socket, o.values["socket"]), first(c.Host, o.values["host"])
	if text := o.values["port"]; text != "" && c.Port == 0 {
		if c.Port, err = strconv.Atoi(text); err != nil {
			return fail("%q is no port", text)
		}
	}
	return nil
}

// tls is what the file wants, in the words of the DSN: MySQL says ssl-mode,
// MariaDB ssl, skip-ssl and ssl-verify-server-cert.
func (o optionFile) tls() (string, error) {
	switch mode := strings.ToUpper(o.values["ssl-mode"]); mode {
	case "DISABLED":
		return "false", nil
	case "PREFERRED":
		return "preferred", nil
	case "REQUIRED":
		return "skip-verify", nil
	case "VERIFY_CA", "VERIFY_IDENTITY":
		return "true", nil
	case "":
	default:
		return "", fmt.Errorf("ssl-mode %q is unknown: DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY", o.values["ssl-mode"])
	}
	switch {
	case slices.Contains(o.bare, "skip-ssl"), isOff(o.values["ssl"]):
		return "false", nil
	case o.on("ssl-verify-server-cert"):
		return "true", nil
	case o.on("ssl"):
		return "skip-verify", nil
	}
	return "", nil
}

func (o optionFile) on(name string) bool {
	value, has := o.values[name]
	return has && !isOff(value) || slices.Contains(o.bare, name)
}

func isOff(value string) bool {
	return slices.Contains([]string{"0", "off", "false"}, strings.ToLower(value))
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// ownName is whom this process runs as.
func ownName() string {
	if u, err := user.LookupId(strconv.Itoa(os.Geteuid())); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Geteuid())
}
