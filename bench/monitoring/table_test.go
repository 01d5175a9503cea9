package main

import "testing"

func TestNumbersHaveThreeSignificantDigits(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 3: "3", 0.456: "0.46", 14.26: "14.3", 142.6: "143", 13425418: "13,425,418", 1000: "1,000"} {
		if got := number(value); got != want {
			t.Errorf("number(%v) = %q, not %q", value, got, want)
		}
	}
}

func TestRatiosAreFormattedAsFractions(t *testing.T) {
	for value, want := range map[float64]string{0: "0", 1. / 200: "1/200", 0.75: "0.75", 0.1: "1/10", 1.5: "1.50"} {
		if got := fraction(value); got != want {
			t.Errorf("fraction(%v) = %q, not %q", value, got, want)
		}
	}
}

func TestAFigureCountsOnlyIfBothSidesWroteTheSame(t *testing.T) {
	row := "| reloader, 10 MB: CPU per change | "
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
		{[]Result{result(peer, 50, "a"), result(ours, 30, "b")}, row + "50 ms |  | 30 ms | 0.60 | ≤ 0.75 | does not count: different configurations |\n", false},
		{[]Result{result(ours, 30, "b")}, row + " |  | 30 ms |  | ≤ 0.75 | not compared |\n", true},
	} {
		got, met := report(one.all, false)
		if got != head+one.want || met != one.met {
			t.Errorf("report(%v) = %v\n%s", one.all, met, got)
		}
	}
}

func TestAnEarlierBuildIsComparedWhereThereIsATarget(t *testing.T) {
	result := func(side Side, figure string, value float64) Result {
		return Result{Work: "reloader", Part: "changes", Side: side.Label, Figures: Figures{figure: value}}
	}
	head := "| work | earlier build | ours | ours to earlier | ≤ 1.10 |\n|---|---|---|---|---|\n| reloader, 10 MB: "
	for _, one := range []struct {
		all  []Result
		want string
		kept bool
	}{
		{[]Result{result(ours, "cpu_ms", 30)}, "", true},
		{[]Result{result(previous, "cpu_ms", 30), result(ours, "cpu_ms", 33)}, head + "CPU per change | 30 ms | 33 ms | 1.10 | yes |\n", true},
		{[]Result{result(previous, "cpu_ms", 30), result(ours, "cpu_ms", 34)}, head + "CPU per change | 30 ms | 34 ms | 1.13 | **no** |\n", false},
		{[]Result{result(previous, "latency_ms", 30), result(ours, "latency_ms", 60)}, head + "latency | 30 ms | 60 ms | 2 |  |\n", true},
	} {
		got, kept := compare(one.all, false)
		if got != one.want || kept != one.kept {
			t.Errorf("compare(%v) = %v\n%s", one.all, kept, got)
		}
	}
}
