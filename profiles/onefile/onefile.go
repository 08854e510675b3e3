// Package onefile is what our HTML pages have in common: each is one file that
// loads nothing, and runs no more than the script and the style it was made
// with, whatever the names that it shows.
//
// It must not know what a page is about.
package onefile

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"strings"
)

// Policy is the Content-Security-Policy of a page with this script and this
// style: nothing is loaded, no other script runs, no other style applies, not
// even one in an attribute.
func Policy(style, script string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; script-src " + hash(script) + "; style-src " + hash(style)
}

// Assets reads a page's style, and joins its scripts DIR/NAME.js in the order
// of their names into one, whose own names are none of the page's.
func Assets(files fs.FS, dir, css string, scripts []string) (style, script string, err error) {
	text, err := fs.ReadFile(files, dir+"/"+css)
	if err != nil {
		return "", "", fmt.Errorf("the page's own style: %w", err)
	}
	var js strings.Builder
	js.WriteString("'use strict';\n{\n")
	for _, name := range scripts {
		part, err := fs.ReadFile(files, dir+"/"+name+".js")
		if err != nil {
			return "", "", fmt.Errorf("the page's own script: %w", err)
		}
		js.Write(part)
	}
	js.WriteString("}\n")
	return string(text), js.String(), nil
}
