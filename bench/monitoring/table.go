package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tell makes the table, and says whether every target is met.
func tell(all []Result, quick bool) (text string, met bool) {
	v := view{quick: quick, all: all}
	var out strings.Builder
	out.WriteString("| work | peer | peer, default GC | ours | ours to peer | target | met |\n|---|---|---|---|---|---|---|\n")
	met = true
	for _, row := range rows(quick) {
		p, d, o := spread(v.values(row, peer)), spread(v.values(row, peerDefaultGC)), spread(v.values(row, ours))
		verdict := ""
		switch wanted := row.Target.words(); {
		case p.N+d.N+o.N == 0:
			continue
		case p.N == 0 || o.N == 0:
			verdict = "not compared"
		case !v.same(row):
			verdict, met = "does not count: another configuration", false
		case wanted == "":
		case row.Target.met(o.Median, p.Median):
			verdict = "yes"
		default:
			verdict, met = "**no**", false
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s |\n", row.What, p.words(row.Unit), d.words(row.Unit), o.words(row.Unit), fraction(o.Median/p.Median), row.Target.words(), verdict)
	}
	return out.String(), met
}

// view looks things up in what was measured.
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

// values are the figure of each run; as a multiple of what it has grown from, if that is asked.
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

// same is true if both sides have written the same in every run.
func (v view) same(row Row) bool {
	written := map[string]bool{}
	for _, side := range []Side{peer, ours} {
		for _, r := range v.of(row.Work, row.Part, side) {
			written[r.Written] = true
		}
	}
	return len(written) == 1
}

func (s Spread) words(unit string) string {
	if s.N == 0 {
		return ""
	}
	text := number(s.Median)
	if s.N > 1 && number(s.Least) != number(s.Most) {
		text += fmt.Sprintf(" (%s–%s)", number(s.Least), number(s.Most))
	}
	return strings.TrimSpace(text + " " + unit)
}

// number has three digits that matter, and commas.
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

// fraction is a part as people say it.
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
