package main

import (
	"fmt"
	"time"
)

// Work is one thing that both sides do, on the same objects.
type Work struct {
	Name       string
	Population Population
	// How often it is done, one after the other.
	Changes int
	// Whether every monitor and rule is told what became of it.
	Gate bool
	// Whether memory at rest is read after it.
	Rest bool
	do   func(*Task)
}

func (w Work) sides() []Side {
	if w.Name == "reloader" {
		// The operator starts it without GOGC.
		return []Side{{Label: peer.Label}, ours}
	}
	return []Side{peer, peerDefaultGC, ours}
}

// works is the list, with few objects if it only has to be shown that it works.
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

// Task is one work of one side in one run.
type Task struct {
	opt     *Options
	work    Work
	side    Side
	run     int
	results *Results
}

// tell keeps what was measured. A part is a phase of a work that has several.
func (t *Task) tell(part string, figures Figures, written string) {
	t.results.add(Result{Work: t.work.Name, Part: part, Side: t.side.Label, Run: t.run, Quick: t.opt.Quick,
		Time: time.Now().UTC().Format(time.RFC3339), Load: load(), Figures: figures, Written: written})
}
