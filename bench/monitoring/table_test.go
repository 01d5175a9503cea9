package main

import "testing"

func TestNumbersAreWrittenWithTheDigitsThatMatter(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 3: "3", 0.456: "0.46", 14.26: "14.3", 142.6: "143", 13425418: "13,425,418", 1000: "1,000"} {
		if got := number(value); got != want {
			t.Errorf("number(%v) = %q, not %q", value, got, want)
		}
	}
}

func TestPartsAreWrittenAsPeopleSayThem(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 1. / 200: "1/200", 0.75: "0.75", 0.1: "1/10", 1.5: "1.50"} {
		if got := fraction(value); got != want {
			t.Errorf("fraction(%v) = %q, not %q", value, got, want)
		}
	}
}

func TestAFigureCountsOnlyIfBothWroteTheSame(t *testing.T) {
	row := "| reloader, 10 MB: CPU a change | "
	result := func(side Side, cpu float64, written string) Result {
		return Result{Work: "reloader", Part: "changes", Side: side.Label, Figures: Figures{"cpu_ms": cpu}, Written: written}
	}
	head := "| work | peer | peer, default GC | ours | ours to peer | target | met |\n|---|---|---|---|---|---|---|\n"
	for _, one := range []struct {
		all  []Result
		want string
		met  bool
	}{
		{[]Result{result(peer, 50, "a"), result(peer, 60, "a"), result(ours, 30, "a")}, row + "55 (50–60) ms |  | 30 ms | 1/2 | ≤ 0.75 | yes |\n", true},
		{[]Result{result(peer, 50, "a"), result(ours, 45, "a")}, row + "50 ms |  | 45 ms | 0.90 | ≤ 0.75 | **no** |\n", false},
		{[]Result{result(peer, 50, "a"), result(ours, 30, "b")}, row + "50 ms |  | 30 ms | 0.60 | ≤ 0.75 | does not count: another configuration |\n", false},
		{[]Result{result(ours, 30, "b")}, row + " |  | 30 ms |  | ≤ 0.75 | not compared |\n", true},
	} {
		got, met := tell(one.all, false)
		if got != head+one.want || met != one.met {
			t.Errorf("tell(%v) = %v\n%s", one.all, met, got)
		}
	}
}
