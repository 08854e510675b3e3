package result

import (
	"path/filepath"
	"runtime"
	"sync"
)

// fromIndex reads the places of one results folder, by its index as far as that
// goes, and makes the index anew where it was not whole. Small folders and
// single runs have none.
func fromIndex(dir string, places []place, keep func(reading string) bool, shared *shared) []answer {
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
	var made *indexMaker
	if len(places) >= leastIndexed && mayWrite(dir) {
		made = newIndexMaker(len(places))
	}
	readPlaces(places, answers, missing, made, keep, shared)
	if made != nil && made.runs > 0 && made.rest(dir, places, answers, missing, keep) {
		replaceIndex(dir, made.text())
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

// rest adds the runs that came from the old index, whole: those without some of
// their readings are taken from it once more. False: that index is gone.
func (m *indexMaker) rest(dir string, places []place, answers []answer, missing []int, keep func(reading string) bool) bool {
	if len(missing) == len(places) {
		return true
	}
	isMissing := make([]bool, len(places))
	for _, i := range missing {
		isMissing[i] = true
	}
	old := (*index)(nil)
	if keep != nil {
		if old = readIndex(dir, nil); old == nil {
			return false
		}
	}
	f := fields{}
	for i := range places {
		st, ok := stampOf(filepath.Join(places[i].path, runFile))
		if isMissing[i] || !ok {
			continue
		}
		run := answers[i].run
		if old != nil {
			if run, ok = old.run(places[i].path, f); !ok {
				continue
			}
		}
		m.add(places[i].path, st, &run)
	}
	return true
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
