package main

import (
	"fmt"
	"os"
	"time"
)

// Run is one operator on a cluster that was restored from a snapshot.
type Run struct {
	task     *Task
	opt      *Options
	cluster  *Cluster
	client   *Client
	observer *Observer
	operator *Process
	started  time.Time
	pop      Population
}

// begin restores the snapshot and starts the operator on it.
func begin(t *Task) *Run {
	cluster := newCluster(t.opt)
	cluster.restore(t.work.Population)
	r := &Run{task: t, opt: t.opt, cluster: cluster, client: cluster.client, pop: t.work.Population}
	r.observer = startObserver(r.client)
	environment := append([]string{"KUBECONFIG=" + cluster.kubeconfig}, t.side.env...)
	r.started = time.Now()
	p, err := startProcess(t.side.Label, t.side.command(t.opt, cluster.kubeconfig, t.work.Gate), t.opt.OperatorCores, cluster.path("log", "operator.log"), environment)
	must(err)
	r.operator = p
	return r
}

func (r *Run) end() {
	r.observer.cancel()
	r.operator.stop()
	r.cluster.stop()
}

// record adds the figures of a part, with the hash of what was written until then. Each run overwrites the written files.
func (r *Run) record(part string, figures Figures) {
	name := r.task.work.Name
	if part != "" {
		name += "-" + part
	}
	r.task.record(part, figures, r.observer.written(r.cluster.path("written", name, r.task.side.Label)))
}

// waitCorrect waits until the Secret contains one job for each monitor and the ConfigMaps one file for each rule object,
// and returns the time at which the last of them arrived.
func (r *Run) waitCorrect() time.Time {
	var at time.Time
	ok := r.observer.wait(r.opt.Patience, func(secrets, rules []Seen) bool {
		if !r.operator.alive() {
			fatal("the operator exited; see %s", r.cluster.path("log", "operator.log"))
		}
		found := false
		for _, s := range secrets {
			if s.Services == r.pop.ServiceMonitors && s.Pods == r.pop.PodMonitors {
				at, found = s.At, true
				break
			}
		}
		if !found || r.pop.Rules == 0 {
			return found
		}
		if files, _ := ruleFiles(rules); files < r.pop.Rules {
			return false
		}
		if last := rules[len(rules)-1].At; last.After(at) {
			at = last
		}
		return true
	})
	if !ok {
		secrets, rules := r.observer.snapshot()
		files, _ := ruleFiles(rules)
		last := Seen{}
		if len(secrets) > 0 {
			last = secrets[len(secrets)-1]
		}
		fatal("no correct configuration within %s: last Secret %+v, %d rule files", r.opt.Patience, last, files)
	}
	return at
}

// settle waits until the operator is quiet after its start.
func (r *Run) settle() {
	time.Sleep(r.opt.Settle)
	r.operator.waitQuiet(3*time.Second, 0.02, 4*time.Minute)
	r.operator.resetPeak()
}

// rest returns the memory of the operator after some time without changes.
func (r *Run) rest() Figures {
	time.Sleep(r.opt.Rest)
	u := r.operator.usage()
	return Figures{"rest_rss_mb": mb(u.RSS)}
}

// Window has the counters at the start of a measurement.
type Window struct {
	run     *Run
	from    Usage
	api     Usage
	mark    int64
	recv    int64
	sent    int64
	secrets int
	rules   int
}

func (r *Run) open() Window {
	secrets, rules := r.observer.snapshot()
	return Window{run: r, from: r.operator.usage(), api: r.cluster.api.usage(), mark: r.cluster.audit.mark(),
		recv: r.cluster.proxy.Received.Load(), sent: r.cluster.proxy.Sent.Load(), secrets: len(secrets), rules: len(rules)}
}

// close returns the differences of the counters since the start. Those that grow with the number of changes are divided
// by it.
func (w Window) close(changes int) Figures {
	r := w.run
	to, api := r.operator.usage(), r.cluster.api.usage()
	requests := r.cluster.audit.since(w.mark)
	secrets, rules := r.observer.snapshot()
	figures := requests.figures()
	figures["cpu_ms"] = (to.CPU - w.from.CPU) * 1000
	figures["apiserver_cpu_ms"] = (api.CPU - w.api.CPU) * 1000
	figures["received_bytes"] = float64(r.cluster.proxy.Received.Load() - w.recv)
	figures["sent_bytes"] = float64(r.cluster.proxy.Sent.Load() - w.sent)
	figures["secret_changes"] = float64(len(secrets) - w.secrets)
	figures["configmap_changes"] = float64(len(rules) - w.rules)
	for name, value := range figures {
		figures[name] = round(value/float64(changes), 3)
	}
	figures["seconds"] = round(to.At.Sub(w.from.At).Seconds(), 2)
	figures["rss_mb"], figures["peak_rss_mb"] = mb(to.RSS), mb(to.HWM)
	r.logRequests(requests)
	return figures
}

// logRequests logs the requests of the last window by verb and resource.
func (r *Run) logRequests(requests Requests) {
	f, err := os.OpenFile(r.cluster.path("log", "requests.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(err)
	defer f.Close()
	fmt.Fprintf(f, "%s %s %v\n", r.task.work.Name, r.task.side.Label, requests)
}

func mb(kb int64) float64 { return round(float64(kb)/1024, 1) }

// latencies waits until the marker last was seen, and returns the milliseconds from each change to the first state with it.
func latencies(r *Run, sent map[int]time.Time, last int, inRules bool) []float64 {
	pick := func(secrets, rules []Seen) []Seen {
		if inRules {
			return rules
		}
		return secrets
	}
	r.observer.wait(r.opt.Patience, func(secrets, rules []Seen) bool {
		_, ok := firstWith(pick(secrets, rules), last)
		return ok
	})
	seen := pick(r.observer.snapshot())
	var values []float64
	for n, at := range sent {
		t, ok := firstWith(seen, n)
		if !ok {
			fatal("change %d never arrived", n)
		}
		values = append(values, float64(t.Sub(at).Microseconds())/1000)
	}
	return values
}
