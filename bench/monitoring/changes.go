package main

import (
	"fmt"
	"maps"
	"time"
)

// markServiceMonitor patches one ServiceMonitor so that its job contains the marker n.
func (r *Run) markServiceMonitor(n int) time.Time {
	index := r.pop.ServiceMonitors / 2
	e := endpoint(index, fmt.Sprintf("/metrics/%s%d", markerPrefix, n), r.pop.BasicAuth)
	return r.client.patch(monitorPath(r.pop.namespace(index), "servicemonitors", serviceMonitorName(index)),
		map[string]any{"spec": map[string]any{"endpoints": []any{e}}})
}

// Phase is a number of similar changes that are measured together.
type Phase struct {
	name    string
	changes int
	// The first marker; the phases have different markers.
	first   int
	inRules bool
	change  func(n int) time.Time
}

// changeAll makes the changes one after the other: the next one when the last one was seen and the operator is quiet again.
// With a fixed interval, a slow operator would merge changes and need fewer requests.
func (r *Run) changeAll(p Phase) Figures {
	w := r.open()
	sent := map[int]time.Time{}
	for n := p.first; n < p.first+p.changes; n++ {
		sent[n] = p.change(n)
		r.observer.wait(r.opt.Patience, func(secrets, rules []Seen) bool {
			_, inSecret := firstWith(secrets, n)
			_, inRules := firstWith(rules, n)
			return inSecret || inRules
		})
		r.operator.waitQuiet(time.Second, 0.02, 4*time.Minute)
	}
	latency := spread(latencies(r, sent, p.first+p.changes-1, p.inRules))
	r.operator.waitQuiet(2*time.Second, 0.02, 4*time.Minute)
	figures := w.close(p.changes)
	figures["latency_ms"], figures["latency_most_ms"] = round(latency.Median, 2), round(latency.Max, 2)
	return figures
}

// oneChange patches one ServiceMonitor among many, several times.
func oneChange(t *Task) {
	r := begin(t)
	defer r.end()
	r.waitCorrect()
	r.settle()
	figures := r.changeAll(Phase{changes: t.work.Changes, first: 1, change: r.markServiceMonitor})
	if t.work.Rest {
		maps.Copy(figures, r.rest())
	}
	r.record("", figures)
}

// references changes a ServiceMonitor that refers to a Secret, and then the Secret.
func references(t *Task) {
	r := begin(t)
	defer r.end()
	r.waitCorrect()
	r.settle()
	index := r.pop.ServiceMonitors / 2
	for _, phase := range []Phase{
		{name: "monitor", changes: t.work.Changes, first: 1, change: r.markServiceMonitor},
		{name: "secret", changes: t.work.Changes, first: 1000, change: func(n int) time.Time {
			return r.client.patch("/api/v1/namespaces/"+r.pop.namespace(index)+"/secrets/"+authSecretName(index),
				map[string]any{"stringData": map[string]string{"password": fmt.Sprintf("%s%d", markerPrefix, n)}})
		}},
	} {
		r.record(phase.name, r.changeAll(phase))
	}
}

// rules changes one expression, inserts an object that sorts before all others, and touches a ServiceMonitor.
func rules(t *Task) {
	r := begin(t)
	defer r.end()
	r.waitCorrect()
	r.settle()
	index := r.pop.Rules / 2
	for _, phase := range []Phase{
		{name: "expression", changes: t.work.Changes, first: 1, inRules: true, change: func(n int) time.Time {
			name := fmt.Sprintf("rules-%05d", index)
			list := ruleList(index, r.pop.RulesEach, fmt.Sprintf("%s%d", markerPrefix, n))
			return r.client.patch(monitorPath(r.pop.namespace(index), "prometheusrules", name),
				map[string]any{"spec": map[string]any{"groups": []any{map[string]any{"name": name, "rules": list}}}})
		}},
		{name: "insertion", changes: 1, first: 1000, inRules: true, change: func(n int) time.Time {
			r.client.create(monitorPath(firstNamespace, "prometheusrules", ""),
				prometheusRule(firstNamespace, "first", 0, r.pop.RulesEach, fmt.Sprintf("%s%d", markerPrefix, n)))
			return time.Now()
		}},
		{name: "monitor", changes: t.work.Changes, first: 2000, change: r.markServiceMonitor},
	} {
		figures := r.changeAll(phase)
		_, seen := r.observer.snapshot()
		_, configMaps := ruleFiles(seen)
		figures["configmaps"] = float64(configMaps)
		r.record(phase.name, figures)
	}
}
