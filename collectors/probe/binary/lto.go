package binary

import (
	"bytes"
	"debug/elf"
	"fmt"
	"strings"
)

// lto looks for what link-time optimisation leaves behind. That nothing is left
// proves something only where debug information names GCC for the code:
// under LTO it calls itself GNU GIMPLE there (gcc, gen_producer_string). Clang
// leaves nothing that tells.
func lto(f, separate *elf.File, table []elf.Symbol) LTO {
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".gnu.lto_") {
			return LTO{"yes", "the file has the section " + s.Name}
		}
	}
	for _, s := range table {
		if strings.Contains(s.Name, ".lto_priv.") {
			return LTO{"yes", "GCC renamed functions for it, such as " + s.Name}
		}
		if name, hash, ok := strings.Cut(s.Name, ".llvm."); ok && name != "" && hash != "" && strings.Trim(hash, "0123456789") == "" {
			return LTO{"yes", "Clang renamed functions for it, such as " + s.Name}
		}
	}
	for _, file := range []*elf.File{f, separate} {
		if file == nil {
			continue
		}
		switch made := producers(file); {
		case made.gimple != "":
			return LTO{"yes", "debug information names the compiler " + made.gimple}
		case made.gcc != "" && !made.clang:
			return LTO{"no", "debug information names the compiler " + made.gcc + ", and never GNU GIMPLE"}
		}
	}
	return LTO{Evidence: "nothing in the file tells: no debug information of GCC alone, no renamed functions"}
}

type made struct {
	gimple, gcc string
	clang       bool
}

// producers looks for DW_AT_producer among the strings of the debug
// information, without reading the information itself (gigabytes, for a server).
func producers(f *elf.File) (m made) {
	for _, name := range []string{".debug_str", ".debug_line_str"} {
		s := f.Section(name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		b, err := s.Data()
		if err != nil {
			continue
		}
		m.clang = m.clang || bytes.Contains(b, []byte("clang version "))
		if g := stringWith(b, "GNU GIMPLE "); g != "" {
			m.gimple = g
		}
		for _, language := range []string{"GNU C++", "GNU C"} {
			if g := stringWith(b, language); g != "" && m.gcc == "" {
				m.gcc = g
			}
		}
	}
	return m
}

// stringWith is the first string in b that begins with a prefix and is of a
// producer (it goes on with a version), shortened to language and version.
func stringWith(b []byte, prefix string) string {
	for {
		i := bytes.Index(b, []byte(prefix))
		if i < 0 {
			return ""
		}
		atStart := i == 0 || b[i-1] == 0
		b = b[i:]
		text := b
		if end := bytes.IndexByte(b, 0); end >= 0 {
			text = b[:end]
		}
		b = b[len(prefix):]
		words := strings.Fields(string(text[:min(len(text), 200)]))
		if atStart && len(words) >= 3 && words[2] != "" && words[2][0] >= '0' && words[2][0] <= '9' {
			return fmt.Sprintf("%s %s %s", words[0], words[1], words[2])
		}
	}
}
