package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// projectDir is the project's folder, as seen from this one.
const projectDir = "../.."

// shellText is a piece of shell that a document shows: a whole block marked `sh`,
// or one command of a block that has outputs too.
type shellText struct {
	file string // from the project's folder
	line int
	text string
}

// mention is a command within a sentence, of which parts may be left out.
type mention shellText

// documents are the files that people read, and the comments of the examples.
func documents(t *testing.T) []string {
	t.Helper()
	files := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md"}
	for _, folder := range []string{"docs", "examples"} {
		err := filepath.WalkDir(filepath.Join(projectDir, folder), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && slices.Contains([]string{".md", ".yaml"}, filepath.Ext(path)) {
				path, err = filepath.Rel(projectDir, path)
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func document(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(projectDir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	docFence    = regexp.MustCompile("^ *```(\\w*)")
	docIndented = regexp.MustCompile(`^(?:    |\t)(.*)$`)
	docComment  = regexp.MustCompile(`^# ?(.*)$`)
	// docCommand is a line that calls something of ours, with variables or sudo in front.
	docCommand = regexp.MustCompile(`^ *(?:\$ )?((?:[A-Z_]+=\S* |sudo )*(?:opcost|make|testbed/[\w-]+\.sh)(?: .*)?)$`)
	docInline  = regexp.MustCompile("`((?:opcost|make|testbed/[\\w-]+\\.sh)(?: [^`]*)?)`")
)

// shownCommands are the texts that a document shows, and the mentions in its
// sentences.
func shownCommands(file, text string) (texts []shellText, mentions []mention) {
	inside, lang := false, ""
	var whole *shellText
	add := func(line int, text string) {
		if m := docCommand.FindStringSubmatch(text); m != nil {
			texts = append(texts, shellText{file, line, m[1]})
		}
	}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		n, line := i+1, lines[i]
		if strings.HasSuffix(file, ".yaml") { // a command in a comment stands alone on its line
			if m := docComment.FindStringSubmatch(line); m != nil {
				add(n, m[1])
			}
			continue
		}
		if m := docFence.FindStringSubmatch(line); m != nil {
			if inside = !inside; inside {
				lang = m[1]
			}
			if inside && lang == "sh" {
				whole = &shellText{file: file, line: n + 1}
			} else if whole != nil {
				texts, whole = append(texts, *whole), nil
			}
			continue
		}
		switch {
		case whole != nil:
			whole.text += line + "\n"
		case inside && lang == "" || docIndented.MatchString(line):
			for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
				i++
				line = strings.TrimSuffix(line, "\\") + strings.TrimLeft(lines[i], " ")
			}
			add(n, line)
		case !inside:
			for _, m := range docInline.FindAllStringSubmatch(line, -1) {
				mentions = append(mentions, mention{file, n, m[1]})
			}
		}
	}
	return texts, mentions
}

// TestDocsCommandsAreFound: the other tests of documents would pass with a
// finder that finds nothing.
func TestDocsCommandsAreFound(t *testing.T) {
	text := "Say `opcost report` or\n\n" +
		"    opcost report night \\\n      --sweep\n    not ours\n\n" +
		"```\n$ opcost doctor | less\nopcost: an error\nMYSQL_PWD=x opcost attach\n```\n\n" +
		"```sh\ncat >plan.yaml <<END\nrows: 1\nEND\nopcost run plan.yaml\n```\n" +
		"```text\nopcost narrow is not found in outputs\n```\n"
	texts, mentions := shownCommands("x.md", text)
	want := []shellText{
		{"x.md", 3, "opcost report night --sweep"},
		{"x.md", 8, "opcost doctor | less"},
		{"x.md", 10, "MYSQL_PWD=x opcost attach"},
		{"x.md", 14, "cat >plan.yaml <<END\nrows: 1\nEND\nopcost run plan.yaml\n"},
	}
	if !slices.Equal(texts, want) || !slices.Equal(mentions, []mention{{"x.md", 1, "opcost report"}}) {
		t.Errorf("%v\n%v", texts, mentions)
	}
	texts, _ = shownCommands("x.yaml", "# A plan.\n#\n#   opcost run x.yaml --estimate\nrows: 1 # opcost\n")
	if !slices.Equal(texts, []shellText{{"x.yaml", 3, "opcost run x.yaml --estimate"}}) {
		t.Errorf("%v", texts)
	}
}
