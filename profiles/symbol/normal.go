package symbol

import (
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Normal is the name by which a function meets itself in another build:
//
//   - demangled (C++ and Rust);
//   - without parameters, return type and qualifiers, as perf script prints it.
//     A parameter added between two versions is no new function. Overloads of
//     one name become one; template arguments stay;
//   - without the suffixes of copies and parts that compilers make of a function
//     (GCC: .part, .isra, .constprop, .cold, .lto_priv, .localalias; Clang:
//     .llvm, .__uniq, .specialized; "[clone ...]"), of callgrind's recursion
//     levels ('2), of Rust's hashes, of symbol versions (@@GLIBC_2.2.5);
//   - with "@plt" kept: a stub is code of its caller's object, not the function.
//     Thunks and .resolver functions likewise are code of their own.
//
// A name that it does not understand, or of over 4 KiB, is returned as it is.
// Normal of a normal name is that name; of a name that is not empty, it is not
// empty.
func Normal(name string) string {
	if len(name) > maxName {
		return name
	}
	was := name
	for range maxRounds {
		next := once(name)
		if next == name || next == "" {
			return name
		}
		name = next
	}
	return was // never settles: leave it alone
}

// maxName is above the names of real functions, templates of templates as they
// are. A longer one is left alone: demangling takes the square of a name's length.
const maxName = 4 << 10

// maxRounds is more than any real name needs: one round, and one to see that it
// settled.
const maxRounds = 8

func once(name string) string {
	name = strings.TrimSpace(name)
	name, stub := strings.CutSuffix(name, "@plt")
	name = unsuffixed(name)
	if strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") {
		name = demangle.Filter(name, demangle.NoParams, demangle.NoABITags, demangle.MaxLength(16))
	}
	name = unsuffixed(unparameterised(rustCrate.ReplaceAllString(name, "$1")))
	name = strings.ReplaceAll(name, "> >", ">>")
	if stub && name != "" {
		name += "@plt"
	}
	return name
}

// unsuffixed is a name without what compilers, libraries and callgrind append.
func unsuffixed(name string) string {
	for range maxSuffixes {
		was := name
		for _, s := range suffixes {
			if i := s.FindStringIndex(name); i != nil && i[0] > 0 {
				name = strings.TrimSpace(name[:i[0]])
			}
		}
		if name == was {
			return name
		}
	}
	return name // Normal comes back for the rest
}

// maxSuffixes is how many kinds of suffixes stand behind each other at most.
const maxSuffixes = 8

var suffixes = []*regexp.Regexp{
	// GCC (cgraphclones.cc, ipa-*.cc) and LLVM (FunctionSpecialization,
	// HotColdSplitting, ThinLTO promotion, UniqueInternalLinkageNames).
	regexp.MustCompile(`(\.(part|isra|constprop|cold|lto_priv|localalias|clone|simdclone|warm|hot|llvm|__uniq|specialized|extracted|memprof|cfi|cfi_jt)(\.[0-9]+)*)+$`),
	regexp.MustCompile(`( ?\[clone [^\]]*\])+$`),                     // libiberty
	regexp.MustCompile(`( \(\.[a-z_]+(\.[0-9]+)*\))+$`),              // LLVM's demangler
	regexp.MustCompile(`('[0-9]+)+$`),                                // callgrind's recursion level
	regexp.MustCompile(`(@@?[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_.]*)+$`), // symbol version
	regexp.MustCompile(`(::h[0-9a-f]{16})+$`),                        // Rust before v0
	regexp.MustCompile(`(\[abi:[A-Za-z0-9_]+\])+$`),                  // GCC's ABI tags
}

// rustCrate is the hash that Rust's v0 names carry behind a crate's name.
var rustCrate = regexp.MustCompile(`([A-Za-z0-9_])\[[0-9a-f]{8,16}\]`)
