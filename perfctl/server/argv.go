package server

import (
	"path"
	"regexp"
	"slices"
)

// loaderName is a dynamic loader, which runs a foreign tree's binary with the
// tree's own libraries (man ld.so).
var loaderName = regexp.MustCompile(`^ld(-|\.|64\.|32\.).*so(\.\d+)*$|^ld-musl-`)

// wrapArgv puts the wrapper (valgrind) where it sees the server and not the
// programs that lead to it: behind numactl, taskset and env, which end in an
// exec that valgrind does not follow, but in front of a dynamic loader, which
// becomes the server without one.
func wrapArgv(launcher, server []string, wrap func([]string) []string) []string {
	if wrap == nil {
		return slices.Concat(launcher, server)
	}
	loader := slices.IndexFunc(launcher, func(arg string) bool { return loaderName.MatchString(path.Base(arg)) })
	if loader < 0 {
		loader = len(launcher)
	}
	return slices.Concat(launcher[:loader], wrap(slices.Concat(launcher[loader:], server)))
}

// defaultsArg must be a server's first argument.
func defaultsArg(spec Spec) string {
	if spec.DefaultsFile == "" {
		return "--no-defaults"
	}
	return "--defaults-file=" + spec.DefaultsFile
}

// serverArgs are a server's arguments in the order that lets the plan win over
// our conveniences, and our private places over the plan.
func serverArgs(id Identity, spec Spec, p places, holds map[When]bool, given []option, moved []string) []string {
	before, after := own(id, p, holds, false)
	return slices.Concat([]string{defaultsArg(spec)}, before, texts(given), moved, after)
}
