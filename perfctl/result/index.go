package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// DIR/index holds the runs of a results folder in a compact form, for reading
// thousands of them at once. It can be removed at any time: it is made again by
// the next [Read] that finds it lacking. It is never trusted over run.json: a
// run is taken from it only if its run.json is the very file that was read and
// checked when the index was made, by size, times and inode number. The time of
// the last change (ctime) cannot be set by a program, so whoever changes a
// run.json has it read and checked again.
const (
	indexFile = "index"
	// leastIndexed is the number of runs from which an index is worth a file.
	leastIndexed = 200
	// racy is how long a file must have been as it is before it is taken into an
	// index: one that is changed again within the clock's step keeps its times.
	racy = 2 * time.Second
	// maxIndex bounds the file, which may come from elsewhere.
	maxIndex = 1 << 30
)

// stamp tells a file from what it was.
type stamp struct {
	size, mtime, ctime int64
	inode, device      uint64
}

// stampOf is of a regular file; false for all else.
func stampOf(path string) (stamp, bool) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return stamp{}, false
	}
	return stamp{st.Size, st.Mtim.Nano(), st.Ctim.Nano(), st.Ino, uint64(st.Dev)}, true //nolint:unconvert // 32 bits elsewhere
}

// indexHead begins an index: its format, and the layout of the record.
func indexHead() []byte {
	sum := sha256.Sum256([]byte(layout(reflect.TypeFor[Run]())))
	return append([]byte("opcost index 1\n"), sum[:8]...)
}

// indexed is where a run lies in an index.
type indexed struct {
	stamp    stamp
	from, to int // in runs
}

// index is a results folder's runs, as an index file holds them.
type index struct {
	tables *indexTables
	at     map[string]indexed // by the name of the run's folder
	runs   []byte
}

// readIndex opens a folder's index; nil where there is none that can be used,
// for whatever reason: then run.json is read. Readings that keep does not ask
// for are left out (nil: none are).
func readIndex(dir string, keep func(reading string) bool) *index {
	text, err := readRegularUpTo(filepath.Join(dir, indexFile), maxIndex, nil)
	head := indexHead()
	if err != nil || !bytes.HasPrefix(text, head) || len(text) < len(head)+4 {
		return nil
	}
	body, sum := text[len(head):len(text)-4], binary.LittleEndian.Uint32(text[len(text)-4:])
	if crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) != sum {
		return nil
	}
	return parseIndex(body, keep)
}

// parseIndex takes apart what stands between an index's head and its sum.
func parseIndex(body []byte, keep func(reading string) bool) *index {
	d := &decoder{indexTables: &indexTables{}, fields: fields{}, from: body}
	section := func() []byte { return d.take(d.count()) }
	texts, shapes, tables, entries, runs := section(), section(), section(), section(), section()
	if d.bad {
		return nil
	}
	x := &index{tables: d.indexTables, at: map[string]indexed{}, runs: runs}
	d.from = texts
	one := string(texts) // the texts are parts of it, and cost nothing more
	for len(d.from) > 0 && !d.bad {
		n := d.count()
		at := len(texts) - len(d.from)
		d.take(n)
		if !d.bad {
			d.texts = append(d.texts, one[at:at+n])
		}
	}
	for d.from = shapes; len(d.from) > 0 && !d.bad; {
		var r Reading
		d.into(reflect.ValueOf(&r).Elem())
		d.shapes = append(d.shapes, r)
		d.keep = append(d.keep, keep == nil || keep(r.Name))
	}
	for d.from = tables; len(d.from) > 0 && !d.bad; {
		n := d.count()
		m := make(map[string]string, min(n, 1<<10)) // n is only what the file says
		for range n {
			if d.bad {
				break
			}
			k := d.str()
			m[k] = d.str()
		}
		d.tables = append(d.tables, m)
	}
	for d.from = entries; len(d.from) > 0 && !d.bad; {
		name := d.str()
		e := indexed{stamp: stamp{d.varint(), d.varint(), d.varint(), d.uvarint(), d.uvarint()}}
		e.from = int(d.uvarint())
		e.to = e.from + int(d.uvarint())
		if e.from < 0 || e.to < e.from || e.to > len(runs) {
			d.bad = true
		}
		x.at[name] = e
	}
	if d.bad {
		return nil
	}
	return x
}

// run gives a run of the index, if its run.json is still that file.
func (x *index) run(path string, f fields) (Run, bool) {
	e, ok := x.at[filepath.Base(path)]
	if !ok {
		return Run{}, false
	}
	if now, ok := stampOf(filepath.Join(path, runFile)); !ok || now != e.stamp {
		return Run{}, false
	}
	run, ok := x.decode(e, f)
	return run, ok && run.Schema == Schema && run.ID == filepath.Base(path)
}

func (x *index) decode(e indexed, f fields) (run Run, ok bool) {
	d := &decoder{indexTables: x.tables, fields: f, from: x.runs[e.from:e.to]}
	d.run(&run)
	return run, !d.bad && len(d.from) == 0
}

// whole is the same index, of which all readings are asked for.
func (x *index) whole() *index {
	if x == nil {
		return nil
	}
	all := *x.tables
	all.keep = make([]bool, len(all.shapes))
	for i := range all.keep {
		all.keep[i] = true
	}
	return &index{&all, x.at, x.runs}
}

// mayWrite: the folder is one of ours, and we may write to it. Where we may not,
// there is no index, and nothing else changes.
func mayWrite(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, markFile))
	return err == nil && unix.Access(dir, unix.W_OK) == nil
}

// indexMaker makes an index of runs as they are read.
type indexMaker struct {
	mu      sync.Mutex
	began   time.Time
	e       *encoder
	entries []byte
	payload []byte
	runs    int // that may go into a file
	// expected is about how many runs will come.
	expected int
	// recent ones are taken in too, for this reading alone: see [ReadPacked].
	recent bool
}

func newIndexMaker(expected int) *indexMaker {
	return &indexMaker{began: time.Now(), e: newEncoder(), expected: min(expected, 1<<16)}
}

// add takes a run in, with what its run.json was before it was read, unless that
// was changed just now.
func (m *indexMaker) add(path string, st stamp, run *Run) {
	lasting := m.began.UnixNano()-st.ctime > int64(racy)
	if !lasting && !m.recent {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if lasting {
		m.runs++
	} else {
		st = stamp{} // which no file has
	}
	from := len(m.payload)
	m.payload = m.e.run(m.payload, run)
	if from == 0 { // the others are much like the first
		m.payload = slices.Grow(m.payload, len(m.payload)*m.expected)
	}
	m.entries = binary.AppendUvarint(m.entries, m.e.textID(filepath.Base(path)))
	for _, n := range []int64{st.size, st.mtime, st.ctime} {
		m.entries = binary.AppendVarint(m.entries, n)
	}
	for _, n := range []uint64{st.inode, st.device, uint64(from), uint64(len(m.payload) - from)} {
		m.entries = binary.AppendUvarint(m.entries, n)
	}
}

// body is what stands between an index file's head and its sum.
func (m *indexMaker) body() []byte {
	sections := [][]byte{m.e.text, m.e.shape, m.e.table, m.entries, m.payload}
	size := 0
	for _, s := range sections {
		size += binary.MaxVarintLen64 + len(s)
	}
	body := make([]byte, 0, size)
	for _, s := range sections {
		body = append(binary.AppendUvarint(body, uint64(len(s))), s...)
	}
	return body
}

// replaceIndex puts an index in place whole, or not at all. It need not outlast
// a crash of the machine: a torn one does not pass its sum.
func replaceIndex(dir string, body []byte) {
	sum := binary.LittleEndian.AppendUint32(nil, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	tmp, err := os.CreateTemp(dir, tempPrefix+indexFile+"-")
	if err != nil {
		return
	}
	for _, part := range [][]byte{indexHead(), body, sum} {
		if err == nil {
			_, err = tmp.Write(part)
		}
	}
	if cerr := tmp.Close(); err != nil || cerr != nil || os.Rename(tmp.Name(), filepath.Join(dir, indexFile)) != nil {
		_ = os.Remove(tmp.Name()) // nothing more can be done about it
	}
}
