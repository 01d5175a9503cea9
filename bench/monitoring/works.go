package main

import (
	"fmt"
	"time"
)

// Work is a measurement of both sides with the same objects.
type Work struct {
	Name       string
	Population Population
	// The number of changes, one after the other.
	Changes int
	// Whether every monitor and rule gets a status binding.
	Gate bool
	// Whether memory at rest is measured at the end.
	Rest bool
	do   func(*Task)
}

func (w Work) sides(opt *Options) []Side {
	sides, earlier := []Side{peer, peerDefaultGC, ours}, opt.Previous
	if w.Name == "reloader" {
		// The operator starts its reloader without GOGC.
		sides, earlier = []Side{{Label: peer.Label}, ours}, opt.PreviousReloader
	}
	if earlier != "" {
		sides = append(sides, previous)
	}
	return sides
}

// works returns all works, with few objects for a quick run.
func works(quick bool) []Work {
	size := func(full, small int) int {
		if quick {
			return small
		}
		return full
	}
	monitors := func(n int) Population { return Population{Namespaces: 100, ServiceMonitors: n} }
	var list []Work
	for _, n := range []int{size(1000, 50), size(5000, 100), size(10_000, 200)} {
		list = append(list, Work{Name: fmt.Sprintf("one-change-%d", n), Population: monitors(n), Changes: size(10, 2), Rest: n > size(1000, 50), do: oneChange})
	}
	return append(list,
		Work{Name: "bindings", Population: monitors(size(1000, 50)), Changes: size(10, 2), Gate: true, do: oneChange},
		Work{Name: "cold-start", Population: Population{Namespaces: 200, ServiceMonitors: size(5000, 100), PodMonitors: size(1000, 20), Rules: size(1000, 20), RulesEach: 10,
			Secrets: size(10_000, 100), ConfigMaps: size(3000, 30)}, do: coldStart},
		Work{Name: "burst", Population: monitors(size(2000, 100)), Changes: size(1000, 50), do: burst},
		Work{Name: "references", Population: Population{Namespaces: 100, ServiceMonitors: size(500, 20), BasicAuth: true}, Changes: size(10, 2), do: references},
		Work{Name: "rules", Population: Population{Namespaces: 100, ServiceMonitors: 100, Rules: size(1000, 50), RulesEach: 20}, Changes: size(5, 2), do: rules},
		Work{Name: "churn", Population: Population{Namespaces: 100, ServiceMonitors: size(2000, 50), Churn: 40}, Changes: 10, do: churn},
		Work{Name: "reloader", Changes: size(30, 5), do: reloader},
	)
}

// Task is one work on one side in one run.
type Task struct {
	opt     *Options
	work    Work
	side    Side
	run     int
	results *Results
}

// record adds a result. A part is a phase of a work that has several.
func (t *Task) record(part string, figures Figures, written string) {
	t.results.add(Result{Work: t.work.Name, Part: part, Side: t.side.Label, Run: t.run, Quick: t.opt.Quick,
		Time: time.Now().UTC().Format(time.RFC3339), Load: load(), Figures: figures, Written: written})
}
