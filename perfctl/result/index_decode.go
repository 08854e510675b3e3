package result

import (
	"encoding/binary"
	"math"
	"reflect"
	"time"
)

// decoder reads what an encoder wrote. After the first damage every read gives
// nothing, and bad is set.
type decoder struct {
	*indexTables
	fields fields
	from   []byte
	bad    bool
}

// indexTables are what the runs of an index share.
type indexTables struct {
	texts  []string
	shapes []Reading
	keep   []bool // shapes that are asked for
	tables []map[string]string
}

func (d *decoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.from)
	if n <= 0 {
		d.bad, d.from = true, nil
		return 0
	}
	d.from = d.from[n:]
	return x
}

func (d *decoder) varint() int64 {
	x, n := binary.Varint(d.from)
	if n <= 0 {
		d.bad, d.from = true, nil
		return 0
	}
	d.from = d.from[n:]
	return x
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.from) {
		d.bad, d.from = true, nil
		return nil
	}
	b := d.from[:n]
	d.from = d.from[n:]
	return b
}

func (d *decoder) flag() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) float() float64 {
	if b := d.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// count of things that each take a byte at least.
func (d *decoder) count() int {
	n := d.uvarint()
	if n > uint64(len(d.from)) {
		d.bad, d.from = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) str() string {
	id := d.uvarint()
	if id >= uint64(len(d.texts)) {
		d.bad = true
		return ""
	}
	return d.texts[id]
}

// readings gives those that are asked for. Their values stand beside each other
// in memory.
func (d *decoder) readings() []Reading {
	n := d.count()
	rest := *d
	kept := 0
	for range n { // how many are kept, so that no more is taken
		id := rest.uvarint()
		if id < uint64(len(d.keep)) && d.keep[id] {
			kept++
		}
		flags := rest.flag()
		rest.take(8 * ((int(flags) & 1) + int(flags>>1&1) + int(flags>>2&1)))
	}
	rs := make([]Reading, 0, kept)
	values := make([]float64, kept)
	for range n {
		id, flags := d.uvarint(), d.flag()
		if id >= uint64(len(d.shapes)) {
			d.bad = true
			return nil
		}
		var value, fraction, uncertainty float64
		if flags&hasValue != 0 {
			value = d.float()
		}
		if flags&hasFraction != 0 {
			fraction = d.float()
		}
		if flags&hasUncertainty != 0 {
			uncertainty = d.float()
		}
		if !d.keep[id] || len(rs) == kept {
			continue
		}
		r := d.shapes[id]
		r.RunningFraction, r.Uncertainty = fraction, uncertainty
		if flags&hasValue != 0 {
			v := &values[len(rs)]
			*v = value
			r.Value = v
		}
		rs = append(rs, r)
	}
	return rs
}

func (d *decoder) into(v reflect.Value) {
	if d.bad {
		return
	}
	switch v.Type() {
	case timeType:
		var t time.Time
		if err := t.UnmarshalBinary(d.take(int(d.flag()))); err != nil {
			d.bad = true
		}
		v.Set(reflect.ValueOf(t))
		return
	case readingsType:
		if d.flag() == 1 {
			v.Set(reflect.ValueOf(d.readings()))
		}
		return
	case mapType:
		if d.flag() == 1 {
			id := d.uvarint()
			if id >= uint64(len(d.tables)) {
				d.bad = true
				return
			}
			v.Set(reflect.ValueOf(d.tables[id]))
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(d.str())
	case reflect.Bool:
		v.SetBool(d.flag() == 1)
	case reflect.Int, reflect.Int64:
		v.SetInt(d.varint())
	case reflect.Uint64:
		v.SetUint(d.uvarint())
	case reflect.Float64:
		v.SetFloat(d.float())
	case reflect.Pointer:
		if d.flag() == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			d.into(v.Elem())
		}
	case reflect.Slice:
		if d.flag() == 1 {
			n := d.count()
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				d.into(v.Index(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			d.into(v.Index(i))
		}
	case reflect.Struct:
		for _, i := range d.fields.of(v.Type()) {
			d.into(v.Field(i))
		}
	}
}

func (d *decoder) run(r *Run) { d.into(reflect.ValueOf(r).Elem()) }
