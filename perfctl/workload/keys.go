package workload

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"math/rand/v2"
)

// keys draws what one client's statements ask for. The sequence is a function
// of the data's size and of what begin is given, so every version of a server,
// and both protocols, see the same.
type keys struct {
	data Data
	pcg  *rand.PCG
	rng  *rand.Rand
	zipf *zipf
	hot  []int64
	last int64 // the id drawn last
	x    int64 // the start of the range drawn last
	// The digits of c and pad are rewritten in place, boxed once.
	c, pad       []byte
	cBox, padBox driver.Value
}

// hotIDs is as many as the longest list of hot ids in the tests.
const hotIDs = 100

// newKeys makes a client's keys. The hot ids are a function of the plan's seed
// alone: all clients and repeats ask for the same ones.
func newKeys(d Data, planSeed uint64) *keys {
	k := &keys{data: d, pcg: rand.NewPCG(0, 0), c: make([]byte, cWidth), pad: make([]byte, padWidth)}
	k.rng = rand.New(k.pcg)
	k.zipf = newZipf(d.Rows, zipfExponent)
	k.cBox, k.padBox = k.c, k.pad
	k.pcg.Seed(seed("hot", planSeed))
	for range hotIDs {
		k.hot = append(k.hot, k.row())
	}
	return k
}

// begin starts the sequence of a phase.
func (k *keys) begin(planSeed uint64, repeat, client int, phase string) {
	k.pcg.Seed(seed("phase "+phase, planSeed, uint64(repeat), uint64(client)))
	k.last, k.x = 1, 1
}

// seed makes the state of a generator of what the numbers are for. The hash
// keeps sequences apart: neighbouring seeds, repeats and clients share nothing.
func seed(purpose string, of ...uint64) (uint64, uint64) {
	var b []byte
	for _, n := range of {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	// The numbers are of fixed width for a purpose, and the text is last: no
	// two inputs give the same bytes.
	b = append(binary.LittleEndian.AppendUint64(b, uint64(len(of))), purpose...)
	h := sha256.Sum256(b)
	return binary.LittleEndian.Uint64(h[:8]), binary.LittleEndian.Uint64(h[8:16])
}

func (k *keys) row() int64 { return 1 + k.rng.Int64N(k.data.Rows) }

// table draws the number of a table.
func (k *keys) table() int {
	if k.data.Tables == 1 {
		return 1
	}
	return 1 + k.rng.IntN(k.data.Tables)
}

// values draws a statement's values, in the order in which they stand in it.
func (k *keys) values(args []arg, into []driver.Value) []driver.Value {
	for _, a := range args {
		var v driver.Value
		switch a.kind {
		case argID:
			k.last = k.row()
			v = k.last
		case argZipf:
			k.last = k.zipf.draw(k.rng)
			v = k.last
		case argK:
			v = k.row()
		case argX:
			k.x = k.row()
			v = k.x
		case argAfter:
			v = k.x + a.n
		case argHot:
			v = k.hot[a.n]
		case argSame:
			v = k.last
		case argC:
			digits(k.rng, k.c)
			v = k.cBox
		case argPad:
			digits(k.rng, k.pad)
			v = k.padBox
		}
		into = append(into, v)
	}
	return into
}

// The columns c and pad hold groups of 11 random digits with hyphens between.
const (
	groupWidth = 11
	cWidth     = 10*(groupWidth+1) - 1 // of CHAR(120)
	padWidth   = 5*(groupWidth+1) - 1  // of CHAR(60)
)

// digits fills b with groups of random digits. One draw gives a group.
func digits(rng *rand.Rand, b []byte) {
	for len(b) > 0 {
		n := min(groupWidth, len(b))
		v := rng.Uint64N(1e11)
		for i := range n {
			b[n-1-i] = byte('0' + v%10)
			v /= 10
		}
		b = b[n:]
		if len(b) > 0 {
			b[0] = '-'
			b = b[1:]
		}
	}
}
