package digest

import (
	"fmt"
	"slices"
	"strings"

	"opcost/collectors"
	"opcost/perfctl/result"
)

const ownMark = collectors.OwnMark

// own is what our statements added to the sums by kind.
type own struct {
	latencyUS   float64
	uncertainUS float64
	// unknown is how many of our statements were not found among the digests.
	unknown int64
}

// statusText begins the statements of ours that carry no mark.
const statusText = "SHOW GLOBAL STATUS"

// takeOut removes our own statements from the rows: those that carry our mark,
// and as many SHOW GLOBAL STATUS as we sent besides (monitors send it too, so
// which of several texts is ours stays open). What is left of ours, a full
// table has in its last row.
//
// Between the edges of the digests and those of the sums by kind lie only our
// own readings: the digests have one of the digests and two of the sums; of
// these two the sums have one.
func (w window) takeOut(rows []result.Digest) ([]result.Digest, own) {
	left := w.ownStatements() // in the sums
	unseen := left + 2        // in the digests
	var o own
	others := slices.DeleteFunc(rows, func(r result.Digest) bool {
		switch {
		case !strings.Contains(r.Text, ownMark):
			return false
		case strings.Contains(r.Text, markDigests):
		case strings.Contains(r.Text, markKinds) && r.Count > 0:
			left--
			o.latencyUS += r.LatencyUS / float64(r.Count)
			o.uncertainUS += r.LatencyUS / 2 // either of the two may have been the longer
		default:
			left -= r.Count
			o.latencyUS += r.LatencyUS
		}
		unseen -= r.Count
		return true
	})
	var out []result.Digest
	for _, r := range others {
		n := int64(0)
		switch {
		case r.Digest == "":
			n = min(unseen, r.Count)
		case r.Schema == w.on.schema && strings.HasPrefix(r.Text, statusText):
			n = min(left, r.Count)
			left -= n
			unseen -= n
			o.latencyUS += float64(n) / float64(r.Count) * r.LatencyUS
		}
		if n < r.Count {
			out = append(out, without(r, n))
		}
	}
	o.unknown = max(left, 0)
	return out, o
}

// without takes n executions of ours out of a row, with their mean share.
func without(r result.Digest, n int64) result.Digest {
	if n <= 0 {
		return r
	}
	reason := fmt.Sprintf("opcost sent %d of %d, which are taken out with their mean share of the rest", n, r.Count)
	if r.Reason != "" {
		reason = r.Reason + "; " + reason
	}
	r.Reason = reason
	share := float64(n) / float64(r.Count)
	r.Count -= n
	for _, v := range []*float64{&r.LatencyUS, r.CPUUS, &r.RowsSent, &r.RowsExamined, &r.RowsAffected, &r.TmpTables, &r.TmpDiskTables, &r.SortRows, &r.Errors} {
		if v != nil {
			*v -= share * *v
		}
	}
	return r
}
