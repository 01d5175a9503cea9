package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// report returns the table, and whether every target is met.
func report(all []Result, quick bool) (text string, met bool) {
	v := view{quick: quick, all: all}
	var out strings.Builder
	out.WriteString("| work | peer | peer, default GC | ours | ours to peer | target | met |\n|---|---|---|---|---|---|---|\n")
	met = true
	for _, row := range rows(quick) {
		p, d, o := spread(v.values(row, peer)), spread(v.values(row, peerDefaultGC)), spread(v.values(row, ours))
		verdict := ""
		switch target := row.Target.text(); {
		case p.N+d.N+o.N == 0:
			continue
		case p.N == 0 || o.N == 0:
			verdict = "not compared"
		case !v.same(row):
			verdict, met = "does not count: different configurations", false
		case target == "":
		case row.Target.met(o.Median, p.Median):
			verdict = "yes"
		default:
			verdict, met = "**no**", false
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s |\n", row.What, p.text(row.Unit), d.text(row.Unit), o.text(row.Unit), fraction(o.Median/p.Median), row.Target.text(), verdict)
	}
	return out.String(), met
}

// growth is how much more than an earlier build ours may take.
const growth = 1.1

// compare returns the table of ours and an earlier build, and whether no figure with a target grew too much. The table is empty if no earlier
// build was measured.
func compare(all []Result, quick bool) (text string, kept bool) {
	v := view{quick: quick, all: all}
	var out strings.Builder
	kept = true
	for _, row := range rows(quick) {
		before, now := spread(v.values(row, previous)), spread(v.values(row, ours))
		if before.N == 0 || now.N == 0 {
			continue
		}
		verdict := ""
		if row.Target.text() != "" {
			verdict = "yes"
			if now.Median > growth*before.Median {
				verdict, kept = "**no**", false
			}
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", row.What, before.text(row.Unit), now.text(row.Unit), fraction(now.Median/before.Median), verdict)
	}
	if out.Len() == 0 {
		return "", true
	}
	return fmt.Sprintf("| work | earlier build | ours | ours to earlier | ≤ %s |\n|---|---|---|---|---|\n", number(growth)) + out.String(), kept
}

// view selects results.
type view struct {
	quick bool
	all   []Result
}

func (v view) of(work, part string, side Side) []Result {
	var found []Result
	for _, r := range v.all {
		if r.Work == work && r.Part == part && r.Side == side.Label && r.Quick == v.quick {
			found = append(found, r)
		}
	}
	return found
}

// values returns the figure of each run; divided by that of another work, if the row is a growth.
func (v view) values(row Row, side Side) []float64 {
	var values []float64
	for i, r := range v.of(row.Work, row.Part, side) {
		value, ok := r.Figures[row.Figure]
		if row.From != "" {
			from := v.of(row.From, row.Part, side)
			ok = ok && i < len(from)
			if ok {
				value /= from[i].Figures[row.Figure]
			}
		}
		if ok {
			values = append(values, value)
		}
	}
	return values
}

// same returns whether both sides wrote the same configuration in every run.
func (v view) same(row Row) bool {
	written := map[string]bool{}
	for _, side := range []Side{peer, ours} {
		for _, r := range v.of(row.Work, row.Part, side) {
			written[r.Written] = true
		}
	}
	return len(written) == 1
}

func (s Spread) text(unit string) string {
	if s.N == 0 {
		return ""
	}
	text := number(s.Median)
	if s.N > 1 && number(s.Min) != number(s.Max) {
		text += fmt.Sprintf(" (%s–%s)", number(s.Min), number(s.Max))
	}
	return strings.TrimSpace(text + " " + unit)
}

// number formats a number with three significant digits, and with commas.
func number(v float64) string {
	digits := 0
	if a := math.Abs(v); a != math.Trunc(a) && a < 100 {
		digits = 1
		if a < 10 {
			digits = 2
		}
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	whole, rest, point := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + rest
	}
	return whole
}

// fraction formats a ratio, such as 1/10.
func fraction(part float64) string {
	switch {
	case math.IsNaN(part) || math.IsInf(part, 0):
		return ""
	case part == 0:
		return "0"
	case part > 0.55:
		return number(part)
	default:
		return "1/" + strconv.FormatFloat(1/part, 'f', 0, 64)
	}
}
