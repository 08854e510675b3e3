package result

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"time"
)

// The compact form of runs within an index. Texts stand once in a table, and so
// do readings but for their numbers: runs repeat both thousands of times. The
// rest follows the types by reflection, so that a field added to the record is
// in the index too.

// shapeOf is a reading without its numbers.
func shapeOf(r Reading) Reading {
	r.Value, r.RunningFraction, r.Uncertainty = nil, 0, 0
	return r
}

// Flags in front of a reading's numbers.
const (
	hasValue = 1 << iota
	hasFraction
	hasUncertainty
)

type encoder struct {
	texts  map[string]uint64
	shapes map[Reading]uint64
	tables map[string]uint64 // maps, by their own encoding
	known  map[uintptr]table // and those that runs share, by where they are
	text   []byte            // length and bytes of each
	shape  []byte
	table  []byte
	fields fields
}

// table is a map that has its number. Held here, no other map takes its place.
type table struct {
	held map[string]string
	id   uint64
}

func newEncoder() *encoder {
	return &encoder{texts: map[string]uint64{}, shapes: map[Reading]uint64{}, tables: map[string]uint64{}, known: map[uintptr]table{}, fields: fields{}}
}

func (e *encoder) textID(s string) uint64 {
	id, ok := e.texts[s]
	if !ok {
		id = uint64(len(e.texts))
		e.texts[s] = id
		e.text = binary.AppendUvarint(e.text, uint64(len(s)))
		e.text = append(e.text, s...)
	}
	return id
}

func (e *encoder) shapeID(r Reading) uint64 {
	s := shapeOf(r)
	id, ok := e.shapes[s]
	if !ok {
		id = uint64(len(e.shapes))
		e.shapes[s] = id
		e.shape = e.append(e.shape, reflect.ValueOf(s))
	}
	return id
}

func (e *encoder) tableID(v reflect.Value) uint64 {
	if known, ok := e.known[v.Pointer()]; ok {
		return known.id
	}
	m := v.Interface().(map[string]string)
	text := binary.AppendUvarint(nil, uint64(len(m)))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		text = binary.AppendUvarint(binary.AppendUvarint(text, e.textID(k)), e.textID(m[k]))
	}
	id, ok := e.tables[string(text)]
	if !ok {
		id = uint64(len(e.tables))
		e.tables[string(text)] = id
		e.table = append(e.table, text...)
	}
	e.known[v.Pointer()] = table{m, id}
	return id
}

func (e *encoder) readings(to []byte, rs []Reading) []byte {
	to = binary.AppendUvarint(to, uint64(len(rs)))
	for _, r := range rs {
		to = binary.AppendUvarint(to, e.shapeID(r))
		flags := byte(0)
		if r.Value != nil {
			flags |= hasValue
		}
		if r.RunningFraction != 0 {
			flags |= hasFraction
		}
		if r.Uncertainty != 0 {
			flags |= hasUncertainty
		}
		to = append(to, flags)
		if r.Value != nil {
			to = appendFloat(to, *r.Value)
		}
		if r.RunningFraction != 0 {
			to = appendFloat(to, r.RunningFraction)
		}
		if r.Uncertainty != 0 {
			to = appendFloat(to, r.Uncertainty)
		}
	}
	return to
}

func appendFloat(to []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(to, math.Float64bits(x))
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	readingsType = reflect.TypeFor[[]Reading]()
	mapType      = reflect.TypeFor[map[string]string]()
)

func (e *encoder) append(to []byte, v reflect.Value) []byte {
	switch v.Type() {
	case timeType:
		text, err := v.Interface().(time.Time).MarshalBinary()
		if err != nil {
			text = nil // a zone of split seconds; decoding it fails, and the run is read anew
		}
		return append(append(to, byte(len(text))), text...)
	case readingsType:
		if v.IsNil() {
			return append(to, 0)
		}
		return e.readings(append(to, 1), v.Interface().([]Reading))
	case mapType:
		if v.IsNil() {
			return append(to, 0)
		}
		return binary.AppendUvarint(append(to, 1), e.tableID(v))
	}
	switch v.Kind() {
	case reflect.String:
		return binary.AppendUvarint(to, e.textID(v.String()))
	case reflect.Bool:
		if v.Bool() {
			return append(to, 1)
		}
		return append(to, 0)
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(to, v.Int())
	case reflect.Uint64:
		return binary.AppendUvarint(to, v.Uint())
	case reflect.Float64:
		return appendFloat(to, v.Float())
	case reflect.Pointer:
		if v.IsNil() {
			return append(to, 0)
		}
		return e.append(append(to, 1), v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return append(to, 0)
		}
		to = binary.AppendUvarint(append(to, 1), uint64(v.Len()))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			to = e.append(to, v.Index(i))
		}
		return to
	case reflect.Struct:
		for _, i := range e.fields.of(v.Type()) {
			to = e.append(to, v.Field(i))
		}
		return to
	}
	panic(fmt.Sprintf("result: the index cannot hold a %s", v.Type())) // a new type in the record; the tests find it
}

// run appends a run.
func (e *encoder) run(to []byte, r *Run) []byte { return e.append(to, reflect.ValueOf(r).Elem()) }

// fields remembers which fields of a type are of the record.
type fields map[reflect.Type][]int

func (f fields) of(t reflect.Type) []int {
	is, ok := f[t]
	if !ok {
		for i := range t.NumField() {
			if stored(t.Field(i)) {
				is = append(is, i)
			}
		}
		f[t] = is
	}
	return is
}

// add fills in a type's fields, and those of the types within.
func (f fields) add(t reflect.Type) {
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Array:
		f.add(t.Elem())
	case reflect.Struct:
		if _, ok := f[t]; ok || t == timeType {
			return
		}
		for _, i := range f.of(t) {
			f.add(t.Field(i).Type)
		}
	}
}

// stored: a field is of the record.
func stored(f reflect.StructField) bool { return f.IsExported() && f.Tag.Get("json") != "-" }

// layout describes a type, so that an index of an opcost whose record has other
// fields is known for one.
func layout(t reflect.Type) string {
	switch {
	case t == timeType:
		return "time"
	case t.Kind() == reflect.Struct:
		text := "{"
		for i := range t.NumField() {
			if f := t.Field(i); stored(f) {
				text += f.Name + " " + layout(f.Type) + ";"
			}
		}
		return text + "}"
	case t.Kind() == reflect.Slice, t.Kind() == reflect.Pointer, t.Kind() == reflect.Array:
		return t.String()[:1] + t.Kind().String() + " " + layout(t.Elem())
	}
	return t.Kind().String()
}
