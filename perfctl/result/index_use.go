package result

import (
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// fromIndex reads the places of one results folder, by its index as far as that
// goes, and makes the index anew where it was not whole. Small folders and
// single runs have none.
func fromIndex(dir string, places []place, keep func(reading string) bool) []answer {
	answers := make([]answer, len(places))
	x := (*index)(nil)
	if len(places) >= leastIndexed {
		x = readIndex(dir, keep)
	}
	var missing []int
	if x == nil {
		missing = make([]int, len(places))
		for i := range places {
			missing[i] = i
		}
	} else {
		missing = x.answer(places, answers)
	}
	if len(missing) == 0 {
		return answers
	}
	stamps := readPlaces(places, answers, missing)
	if len(places) >= leastIndexed && anyRead(missing, answers) {
		writeIndex(dir, indexRuns(dir, places, answers, stamps, missing, keep))
	}
	if keep != nil {
		for _, i := range missing {
			answers[i].run.only(keep)
		}
	}
	return answers
}

// answer fills in the runs that the index has, and names the others.
func (x *index) answer(places []place, answers []answer) (missing []int) {
	had := make([]bool, len(places))
	each(len(places), func() func(i int) {
		f := fields{}
		return func(i int) {
			var run Run
			if run, had[i] = x.run(places[i].path, f); had[i] {
				run.Dir, run.Path = places[i].dir, places[i].path
				answers[i] = answer{run: run}
			}
		}
	})
	for i, ok := range had {
		if !ok {
			missing = append(missing, i)
		}
	}
	return missing
}

// anyRead tells whether any of the runs read is one that an index may hold.
func anyRead(missing []int, answers []answer) bool {
	for _, i := range missing {
		if answers[i].warn == nil {
			return true
		}
	}
	return false
}

// indexRuns are all the runs for a new index, whole: those that came from the
// old one without some of their readings are read once more.
func indexRuns(dir string, places []place, answers []answer, stamps []stamp, missing []int, keep func(reading string) bool) []stamped {
	isMissing := make([]bool, len(places))
	for _, i := range missing {
		isMissing[i] = true
	}
	old := (*index)(nil)
	if keep != nil && len(missing) < len(places) {
		if old = readIndex(dir, nil); old == nil {
			return nil
		}
	}
	var runs []stamped
	f := fields{}
	now := time.Now()
	for i := range places {
		a := &answers[i]
		name := filepath.Base(places[i].path)
		if a.warn != nil {
			continue
		}
		run, st := &a.run, stamp{}
		if isMissing[i] {
			st = stamps[i]
		} else {
			var ok bool
			if st, ok = stampOf(filepath.Join(places[i].path, runFile)); !ok {
				continue
			}
			if old != nil {
				whole, ok := old.run(places[i].path, f)
				if !ok {
					continue
				}
				run = &whole
			}
		}
		// A file changed again within the clock's step would keep its times.
		if st != (stamp{}) && now.UnixNano()-st.ctime > int64(2*time.Second) {
			runs = append(runs, stamped{name, st, run})
		}
	}
	return runs
}

// each calls a function for every number below n, on all CPUs; worker makes the
// function of one of them.
func each(n int, worker func() func(i int)) {
	const chunk = 64
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk) {
		wg.Go(func() {
			do := worker()
			for from := range next {
				for i := from; i < min(n, from+chunk); i++ {
					do(i)
				}
			}
		})
	}
	for from := 0; from < n; from += chunk {
		next <- from
	}
	close(next)
	wg.Wait()
}
