// Package boundaries tells where functions begin and end in a program file or
// library without symbols, by the tables that stack unwinding needs and that
// stripping leaves (.eh_frame). So the code of a stripped server falls into
// functions, without names, which are the same in every run of a build.
//
// It reads ELF files and nothing else: no DWARF, no process. Where files are is
// for the caller to know.
//
// The tables are read here and not by a library: debug/elf stops at sections,
// and Delve's frame package, the only kept parser, keeps the unwinding rules of
// each function (which nothing here asks for), refuses arm64's augmentation "B", takes
// a cut number for 0 and panics on some broken input.
package boundaries
