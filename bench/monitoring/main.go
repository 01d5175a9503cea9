// Measures our monitoring operator and the Prometheus Operator on a cluster of only kube-apiserver and etcd: CPU time,
// memory, requests, bytes and latency. `make bench-monitoring` builds everything that is needed; ../README.md explains
// the figures.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options are the options of the command line.
type Options struct {
	Work, APIServer, Etcd, CRDs  string
	Ours, OurReloader            string
	Peer, PeerReloader           string
	Previous, PreviousReloader   string
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
	flag.StringVar(&opt.CRDs, "crds", "deploy/crds", "directory with the CRDs (*.yaml)")
	flag.StringVar(&opt.Ours, "ours", "mainstay", "our operator")
	flag.StringVar(&opt.OurReloader, "our-reloader", "mainstay-reloader", "our reloader")
	flag.StringVar(&opt.Peer, "peer", "operator", "the Prometheus Operator")
	flag.StringVar(&opt.PeerReloader, "peer-reloader", "prometheus-config-reloader", "its reloader")
	flag.StringVar(&opt.Previous, "previous", "", "an earlier build of our operator, to compare with; none if empty")
	flag.StringVar(&opt.PreviousReloader, "previous-reloader", "", "an earlier build of our reloader; none if empty")
	flag.StringVar(&opt.ServerCores, "server-cores", "0", "cores of kube-apiserver, etcd and this program")
	flag.StringVar(&opt.OperatorCores, "operator-cores", "1", "cores of the operator")
	flag.IntVar(&opt.APIPort, "api-port", 18443, "port of the API server; the next port is that of the proxy that counts bytes")
	flag.IntVar(&opt.EtcdPort, "etcd-port", 12379, "port of etcd; the next port is for its peers")
	flag.IntVar(&opt.WebPort, "web-port", 16480, "port of the operator's metrics")
	flag.IntVar(&opt.Runs, "runs", 3, "number of runs of each work on each side, in turns")
	flag.BoolVar(&opt.Quick, "quick", false, "one run of everything with few objects, to check that it works; targets are not checked")
	flag.StringVar(&opt.Only, "only", "", "run only works whose names start with one of these: one-change,rules")
	flag.StringVar(&opt.Sides, "sides", "", "measure only these sides: peer,peer-default-gc,ours,previous")
	flag.StringVar(&opt.Out, "out", "", "append the results to this file as lines of JSON, and report all results in it; default: a new file in the scratch directory")
	earlier := flag.String("tell", "", "measure nothing; report the results in this file")
	flag.DurationVar(&opt.Settle, "settle", 15*time.Second, "pause after the first correct configuration")
	flag.DurationVar(&opt.Rest, "rest", 150*time.Second, "time from the last change until memory at rest is read")
	flag.DurationVar(&opt.Idle, "churn", time.Minute, "how long the operator is idle, and then how long unrelated objects are written")
	flag.DurationVar(&opt.Patience, "patience", 10*time.Minute, "how long to wait for a configuration")
	flag.Parse()
	if opt.Quick {
		opt.Runs, opt.Settle, opt.Rest, opt.Idle = 1, 3*time.Second, 5*time.Second, 10*time.Second
	}
	results := &Results{file: opt.Out}
	if *earlier != "" {
		results.file = *earlier
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
	table, met := report(results.all, opt.Quick)
	fmt.Println(table)
	if table, kept := compare(results.all, opt.Quick); table != "" {
		fmt.Println(table)
		met = met && kept
	}
	if !met && !opt.Quick {
		os.Exit(1)
	}
}

// measure runs each work on each side, in turns.
func measure(opt *Options, results *Results) {
	selected := func(name, list string, matches func(a, b string) bool) bool {
		for _, one := range strings.Split(list, ",") {
			if list == "" || matches(name, one) {
				return true
			}
		}
		return false
	}
	for run := range opt.Runs {
		for _, work := range works(opt.Quick) {
			if !selected(work.Name, opt.Only, strings.HasPrefix) {
				continue
			}
			for _, side := range work.sides(opt) {
				if side.runs > 0 && run >= side.runs || !selected(side.Label, opt.Sides, func(a, b string) bool { return a == b }) {
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

// fatal exits; the kernel kills the child processes (Pdeathsig).
func fatal(format string, args ...any) {
	note("error: "+format, args...)
	os.Exit(1)
}

func must(err error) {
	if err != nil {
		fatal("%v", err)
	}
}
