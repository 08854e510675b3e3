// Package top makes a profile into a table: what each function, object or
// subsystem cost per query.
//
// Self costs are integers and add up to the profile's total to the unit, what has
// no name and what a limit leaves out included. It lays nothing out.
package top
