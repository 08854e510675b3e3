package result

import "testing"

// What was imported may not say how long it took; what was measured must.
func TestImportedWithoutDuration(t *testing.T) {
	run := aRun("imported", 1)
	run.Passes[0].Windows[0].DurationNS = 0
	if err := check(run); err == nil {
		t.Error("a measured window without a duration was taken")
	}
	run.Passes[0].Windows[0].Ops = OpCount{Source: SourceImport, Per: "statement"}
	if err := check(run); err != nil {
		t.Error(err)
	}
	if got, warnings := mustRead(t, written(t, run)); len(got) != 1 || len(warnings) > 0 {
		t.Errorf("%d runs, %v", len(got), warnings)
	}
}
