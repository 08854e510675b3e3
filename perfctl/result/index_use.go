package result

import (
	"path/filepath"
	"runtime"
	"sync"
)

// fromIndex reads the places of one results folder, by its index as far as that
// goes, and makes the index anew where it was not whole. Small folders and
// single runs have none on disk. With pack, it gives an index of all the runs
// that were read.
func fromIndex(dir string, places []place, keep func(reading string) bool, shared *shared, pack bool) ([]answer, *index) {
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
		return answers, x
	}
	stored := len(places) >= leastIndexed && mayWrite(dir)
	var made *indexMaker
	if stored || pack {
		made = newIndexMaker(len(places))
		made.recent = pack
	}
	readPlaces(places, answers, missing, made, keep, shared)
	if made == nil {
		return answers, nil
	}
	if len(missing) < len(places) {
		made.rest(x.whole(), places, answers, missing)
	}
	body := made.body()
	if stored && made.runs > 0 {
		replaceIndex(dir, body)
	}
	if !pack {
		return answers, nil
	}
	return answers, parseIndex(body, keep)
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

// rest adds the runs that came from the old index: those are without some of
// their readings, so they are taken from it once more, whole.
func (m *indexMaker) rest(old *index, places []place, answers []answer, missing []int) {
	isMissing := make([]bool, len(places))
	for _, i := range missing {
		isMissing[i] = true
	}
	f := fields{}
	for i := range places {
		st, ok := stampOf(filepath.Join(places[i].path, runFile))
		if isMissing[i] || !ok {
			continue
		}
		if run, ok := old.run(places[i].path, f); ok {
			m.add(places[i].path, st, &run)
		}
	}
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
