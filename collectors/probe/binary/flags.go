package binary

import (
	"bytes"
	"debug/elf"
	"slices"
	"strings"
)

// flags are the options of the compiler that bear on speed, as the file tells
// them: GCC writes them into the debug information (DW_AT_producer), and with
// -frecord-gcc-switches, as Clang with -frecord-command-line, into a section.
func flags(f, separate *elf.File) []string {
	for _, file := range []*elf.File{f, separate} {
		if file == nil {
			continue
		}
		for _, name := range []string{".GCC.command.line", ".debug_str", ".debug_line_str"} {
			s := file.Section(name)
			if s == nil || s.Type == elf.SHT_NOBITS {
				continue
			}
			b, err := s.Data()
			if err != nil {
				continue
			}
			if name == ".GCC.command.line" {
				if all := telling(strings.FieldsFunc(string(b), func(r rune) bool { return r == 0 || r == ' ' })); all != nil {
					return all
				}
				continue
			}
			for _, language := range []string{"GNU GIMPLE ", "GNU C++", "GNU C"} {
				if all := telling(producerWords(b, language)); all != nil {
					return all
				}
			}
		}
	}
	return nil
}

// producerWords are the words of the first producer of a language.
func producerWords(b []byte, language string) []string {
	for {
		i := bytes.Index(b, []byte(language))
		if i < 0 {
			return nil
		}
		atStart := i == 0 || b[i-1] == 0
		b = b[i:]
		text, _, _ := bytes.Cut(b[:min(len(b), 16<<10)], []byte{0})
		b = b[len(language):]
		if words := strings.Fields(string(text)); atStart && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-m") || strings.HasPrefix(w, "-O") }) {
			return words
		}
	}
}

// telling keeps the options that bear on speed, each once, sorted; nil is none.
func telling(words []string) []string {
	var out []string
	for _, w := range words {
		for _, p := range []string{"-O", "-march=", "-mtune=", "-mcpu=", "-flto", "-fprofile", "-fauto-profile", "-fno-omit-frame-pointer", "-fomit-frame-pointer", "-fno-inline", "-fstack-protector", "-fsanitize", "-fno-plt", "-fcf-protection"} {
			if w = strings.Trim(w, `"'`); strings.HasPrefix(w, p) && !slices.Contains(out, w) {
				// Paths, of profiles for one, are of the machine that built it.
				name, value, _ := strings.Cut(w, "=")
				if strings.Contains(value, "/") {
					w = name
				}
				out = append(out, w)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
