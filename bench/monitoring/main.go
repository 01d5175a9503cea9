// Measures our monitoring operator beside the Prometheus Operator, on nothing but kube-apiserver and etcd: processor
// time, memory, requests, bytes and latency. `make bench-monitoring` builds all it needs; ../README.md says what the
// figures mean.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options are what the command line says.
type Options struct {
	Work, APIServer, Etcd, CRDs  string
	Ours, OurReloader            string
	Peer, PeerReloader           string
	ServerCores, OperatorCores   string
	APIPort, EtcdPort, WebPort   int
	Runs                         int
	Quick                        bool
	Only, Sides                  string
	Out                          string
	Settle, Rest, Patience, Idle time.Duration
}

func main() {
	opt := &Options{}
	flag.StringVar(&opt.Work, "work", "bench-work", "scratch directory: keys, snapshots, logs, what both sides wrote")
	flag.StringVar(&opt.APIServer, "apiserver", "kube-apiserver", "kube-apiserver")
	flag.StringVar(&opt.Etcd, "etcd", "etcd", "etcd")
	flag.StringVar(&opt.CRDs, "crds", "deploy/crds", "directory with the definitions of the kinds (*.yaml)")
	flag.StringVar(&opt.Ours, "ours", "mainstay", "our operator")
	flag.StringVar(&opt.OurReloader, "our-reloader", "mainstay-reloader", "our reloader")
	flag.StringVar(&opt.Peer, "peer", "operator", "the Prometheus Operator")
	flag.StringVar(&opt.PeerReloader, "peer-reloader", "prometheus-config-reloader", "its reloader")
	flag.StringVar(&opt.ServerCores, "server-cores", "0", "cores of kube-apiserver, etcd and this program")
	flag.StringVar(&opt.OperatorCores, "operator-cores", "1", "cores of the operator")
	flag.IntVar(&opt.APIPort, "api-port", 18443, "port of the API server; the next one counts bytes")
	flag.IntVar(&opt.EtcdPort, "etcd-port", 12379, "port of etcd; the next one is for its peers")
	flag.IntVar(&opt.WebPort, "web-port", 16480, "port of the operator's own pages")
	flag.IntVar(&opt.Runs, "runs", 3, "how often each side does each work, in turns")
	flag.BoolVar(&opt.Quick, "quick", false, "one run of everything with few objects: shows that it works, targets do not count")
	flag.StringVar(&opt.Only, "only", "", "only these, by the first words of their names: one-change,rules")
	flag.StringVar(&opt.Sides, "sides", "", "only these: peer,peer-default-gc,ours")
	flag.StringVar(&opt.Out, "out", "", "add the results to this file as lines of JSON, and tell about all that are in it; if not said, a new one in the scratch directory")
	told := flag.String("tell", "", "measure nothing; tell about the results in this file")
	flag.DurationVar(&opt.Settle, "settle", 15*time.Second, "pause after the first correct configuration")
	flag.DurationVar(&opt.Rest, "rest", 150*time.Second, "from the last change to the reading of memory at rest")
	flag.DurationVar(&opt.Idle, "churn", time.Minute, "how long unrelated objects are written, and before that nothing")
	flag.DurationVar(&opt.Patience, "patience", 10*time.Minute, "how long to wait for a configuration")
	flag.Parse()
	if opt.Quick {
		opt.Runs, opt.Settle, opt.Rest, opt.Idle = 1, 3*time.Second, 5*time.Second, 10*time.Second
	}
	results := &Results{file: opt.Out}
	if *told != "" {
		results.file = *told
		results.read()
	} else {
		if opt.Out == "" {
			results.file = filepath.Join(opt.Work, "results.jsonl")
			must(os.MkdirAll(opt.Work, 0o755))
			_ = os.Remove(results.file)
		}
		results.read()
		measure(opt, results)
	}
	table, met := tell(results.all, opt.Quick)
	fmt.Println(table)
	if !met && !opt.Quick {
		os.Exit(1)
	}
}

// measure does all work in turns: each run, each work, each side.
func measure(opt *Options, results *Results) {
	wanted := func(name, list string, is func(a, b string) bool) bool {
		for _, one := range strings.Split(list, ",") {
			if list == "" || is(name, one) {
				return true
			}
		}
		return false
	}
	for run := range opt.Runs {
		for _, work := range works(opt.Quick) {
			if !wanted(work.Name, opt.Only, strings.HasPrefix) {
				continue
			}
			for _, side := range work.sides() {
				if side.runs > 0 && run >= side.runs || !wanted(side.Label, opt.Sides, func(a, b string) bool { return a == b }) {
					continue
				}
				note("run %d: %s: %s", run+1, work.Name, side.Label)
				work.do(&Task{opt: opt, work: work, side: side, run: run, results: results})
			}
		}
	}
}

func note(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// fatal ends this program; the kernel ends its children (Pdeathsig).
func fatal(format string, args ...any) {
	note("error: "+format, args...)
	os.Exit(1)
}

func must(err error) {
	if err != nil {
		fatal("%v", err)
	}
}
