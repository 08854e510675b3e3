// Package explain says why two versions cost unlike, in values: what else
// differs between them, which factor of a query's time the change is in, which
// code, and of what kind it is.
//
// It takes runs, and the difference of their profiles where there is one. It
// reads no files, measures nothing and lays nothing out; ratios, intervals and
// verdicts are compare's.
//
// The way: [New] pairs the cells of both sides and has them compared (pair.go,
// study.go); [Study.Explain] tells of one pair what is unlike (difference.go,
// known.go), splits the change over an equation (equation.go, lmdi.go) and over
// functions (code.go), and asks every rule whether it holds (rules.go).
package explain
