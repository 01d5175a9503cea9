package main

import "fmt"

// Target is a limit for one of our figures.
type Target struct {
	// The limit as a part of the peer's figure, if not 0.
	part float64
	// The limit as a value that does not depend on the peer.
	most *float64
}

func (t Target) text() string {
	switch {
	case t.most != nil:
		return fmt.Sprintf("≤ %s", number(*t.most))
	case t.part == 0:
		return ""
	default:
		return "≤ " + fraction(t.part)
	}
}

func (t Target) met(ours, peer float64) bool {
	switch {
	case t.most != nil:
		return ours <= *t.most
	case t.part == 0:
		return true
	default:
		return ours <= t.part*peer
	}
}

func partOf(peer float64) Target  { return Target{part: peer} }
func atMost(value float64) Target { return Target{most: &value} }

// Row is one figure of both sides.
type Row struct {
	What   string
	Unit   string
	Work   string
	Part   string
	Figure string
	Target Target
	// The work whose figure is the divisor, if the row is the growth of a figure.
	From string
}

// rows returns the rows of the table.
func rows(quick bool) []Row {
	list := works(quick)
	few, many, most := list[0], list[1], list[2]
	count := func(w Work) string { return number(float64(w.Population.ServiceMonitors)) }
	change := "one ServiceMonitor changed among " + count(many)
	var table []Row
	add := func(work, part, what string, figures ...Row) {
		for _, row := range figures {
			row.Work, row.Part, row.What = work, part, what+": "+row.What
			table = append(table, row)
		}
	}
	add(many.Name, "", change,
		Row{What: "CPU", Unit: "ms", Figure: "cpu_ms", Target: partOf(1. / 200)},
		Row{What: "requests", Figure: "requests", Target: atMost(3)},
		Row{What: "latency", Unit: "ms", Figure: "latency_ms", Target: partOf(1. / 10)},
		Row{What: "bytes sent", Unit: "B", Figure: "sent_bytes"},
		Row{What: "CPU of the API server", Unit: "ms", Figure: "apiserver_cpu_ms"})
	add(few.Name, "", "the same among "+count(few), Row{What: "CPU", Unit: "ms", Figure: "cpu_ms"})
	add(most.Name, "", "the same among "+count(most), Row{What: "CPU", Unit: "ms", Figure: "cpu_ms"},
		Row{What: "times that among " + count(few), Figure: "cpu_ms", From: few.Name, Target: atMost(2)})
	add(many.Name, "", count(many)+" ServiceMonitors", Row{What: "memory at rest", Unit: "MB", Figure: "rest_rss_mb", Target: partOf(1. / 10)})
	add(most.Name, "", count(most)+" ServiceMonitors", Row{What: "memory at rest", Unit: "MB", Figure: "rest_rss_mb", Target: partOf(1. / 10)})
	add("bindings", "", "one changed among "+count(few)+", with status bindings",
		Row{What: "CPU", Unit: "ms", Figure: "cpu_ms"}, Row{What: "requests", Figure: "requests"})
	add("cold-start", "", "cold start",
		Row{What: "CPU until quiet", Unit: "ms", Figure: "cpu_ms", Target: partOf(1. / 15)},
		Row{What: "CPU until correct", Unit: "ms", Figure: "cpu_ms_to_correct"},
		Row{What: "peak memory", Unit: "MB", Figure: "peak_rss_mb", Target: partOf(1. / 8)},
		Row{What: "received", Unit: "MB", Figure: "received_mb", Target: atMost(20)},
		Row{What: "requests", Figure: "requests"})
	add("burst", "", "1,000 created into 2,000",
		Row{What: "CPU", Unit: "ms", Figure: "cpu_ms", Target: partOf(1. / 10)},
		Row{What: "last one to final Secret", Unit: "ms", Figure: "final_ms", Target: partOf(1. / 3)},
		Row{What: "Secret written", Figure: "secret_changes"})
	for _, part := range []string{"monitor", "secret"} {
		add("references", part, "500 with a Secret each, one "+part+" changed",
			Row{What: "requests", Figure: "requests", Target: atMost(3)},
			Row{What: "GETs", Figure: "gets", Target: atMost(1)},
			Row{What: "CPU", Unit: "ms", Figure: "cpu_ms", Target: partOf(1. / 100)})
	}
	for _, phase := range []struct {
		part, what string
		maps       float64
	}{{"expression", "one expression changed", 1}, {"insertion", "one inserted first", 1}, {"monitor", "one ServiceMonitor touched", 0}} {
		add("rules", phase.part, "1,000 PrometheusRules of 20, "+phase.what,
			Row{What: "CPU", Unit: "ms", Figure: "cpu_ms", Target: partOf(1. / 300)},
			Row{What: "ConfigMaps sent", Figure: "configmaps_sent", Target: atMost(phase.maps)})
	}
	add("churn", "churn", "10 unrelated writes a second, a minute",
		Row{What: "CPU", Unit: "ms", Figure: "cpu_ms", Target: partOf(1. / 200)},
		Row{What: "requests", Figure: "requests", Target: atMost(0)},
		Row{What: "restarted watches and lease renewals", Figure: "requests_by_clock"})
	add("churn", "idle", "nothing, a minute", Row{What: "CPU", Unit: "ms", Figure: "cpu_ms"}, Row{What: "requests", Figure: "requests"})
	add("reloader", "changes", "reloader, 10 MB",
		Row{What: "memory", Unit: "MB", Figure: "rss_mb", Target: partOf(1. / 7)},
		Row{What: "peak memory", Unit: "MB", Figure: "peak_rss_mb", Target: partOf(1. / 7)},
		Row{What: "CPU per change", Unit: "ms", Figure: "cpu_ms", Target: partOf(3. / 4)},
		Row{What: "latency", Unit: "ms", Figure: "latency_ms"})
	add("reloader", "nothing", "reloader, nothing changed",
		Row{What: "bytes written", Unit: "B", Figure: "written_bytes", Target: atMost(0)}, Row{What: "CPU", Unit: "ms", Figure: "cpu_ms"})
	add("reloader", "same", "reloader, only the directory swapped", Row{What: "reloads of 5 swaps", Figure: "reloads", Target: atMost(0)})
	return table
}
