package main

import (
	"fmt"
	"maps"
	"time"
)

// coldStart starts the operator in a cluster with many objects.
func coldStart(t *Task) {
	r := begin(t)
	defer r.end()
	apiBefore := r.cluster.api.usage()
	correct := r.waitCorrect()
	ready, api := r.operator.usage(), r.cluster.api.usage()
	r.operator.waitQuiet(3*time.Second, 0.02, 4*time.Minute)
	quiet := r.operator.usage()
	time.Sleep(t.opt.Settle)
	requests := r.cluster.audit.since(0)
	secrets, seen := r.observer.snapshot()
	_, configMaps := ruleFiles(seen)
	figures := Figures{
		"seconds_to_correct": round(correct.Sub(r.started).Seconds(), 2),
		"cpu_ms_to_correct":  round(ready.CPU*1000, 1), "cpu_ms": round(quiet.CPU*1000, 1),
		"apiserver_cpu_ms": round((api.CPU-apiBefore.CPU)*1000, 1),
		"peak_rss_mb":      mb(quiet.HWM), "rss_mb": mb(r.operator.usage().RSS),
		"received_mb":   round(float64(r.cluster.proxy.Received.Load())/1e6, 2),
		"sent_mb":       round(float64(r.cluster.proxy.Sent.Load())/1e6, 2),
		"secret_writes": float64(len(secrets)), "configmaps": float64(configMaps), "configmap_writes": float64(len(seen)),
	}
	maps.Copy(figures, requests.figures())
	r.logRequests(requests)
	r.record("", figures)
}

// burst creates many ServiceMonitors as fast as possible.
func burst(t *Task) {
	const workers = 32
	r := begin(t)
	defer r.end()
	r.waitCorrect()
	r.settle()
	w := r.open()
	started := time.Now()
	r.client.createAll(workers, t.work.Changes, func(n int) Object {
		index := r.pop.ServiceMonitors + n
		return Object{monitorPath(r.pop.namespace(index), "servicemonitors", ""), serviceMonitor(r.pop.namespace(index), index, false)}
	})
	created := time.Now()
	var final time.Time
	if !r.observer.wait(t.opt.Patience, func(secrets, _ []Seen) bool {
		for _, s := range secrets {
			if s.Services == r.pop.ServiceMonitors+t.work.Changes {
				final = s.At
				return true
			}
		}
		return false
	}) {
		fatal("the last monitor never arrived")
	}
	r.operator.waitQuiet(2*time.Second, 0.02, 4*time.Minute)
	figures := w.close(1)
	figures["create_s"] = round(created.Sub(started).Seconds(), 2)
	figures["final_ms"] = round(float64(final.Sub(created).Microseconds())/1000, 1)
	r.record("", figures)
}

// churn makes no changes for some time, and then writes objects that are not referenced.
func churn(t *Task) {
	r := begin(t)
	defer r.end()
	r.waitCorrect()
	r.settle()
	finish := func(w Window, part string, writes int) {
		figures := w.close(1)
		for _, name := range []string{"cpu_ms", "requests", "requests_by_clock", "apiserver_cpu_ms"} {
			figures[name] = round(figures[name]*60/figures["seconds"], 2)
		}
		figures["writes"] = float64(writes)
		r.record(part, figures)
	}
	w := r.open()
	time.Sleep(t.opt.Idle)
	finish(w, "idle", 0)
	w = r.open()
	writes := 0
	tick := time.NewTicker(time.Second / time.Duration(t.work.Changes))
	defer tick.Stop()
	for end := time.Now().Add(t.opt.Idle); time.Now().Before(end); <-tick.C {
		path, kind := churnPath(writes % r.pop.Churn)
		field := "data"
		if kind == "Secret" {
			field = "stringData"
		}
		r.client.patch(path+"/"+churnName(writes%r.pop.Churn), map[string]any{field: map[string]string{"value": fmt.Sprint(writes)}})
		writes++
	}
	finish(w, "churn", writes)
}
