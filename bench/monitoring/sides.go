package main

import (
	"fmt"
	"strings"
)

// Side is one of the programs that are compared, and how it is started.
type Side struct {
	Label string
	// Whether it is ours.
	ours bool
	env  []string
	// The number of runs that it takes part in; 0 means all.
	runs int
}

// The peer as its chart starts it, the peer with Go's default garbage collection, ours, and an earlier build of ours.
var (
	peer          = Side{Label: "peer", env: []string{"GOGC=30"}}
	peerDefaultGC = Side{Label: "peer-default-gc", runs: 1}
	ours          = Side{Label: "ours", ours: true}
	previous      = Side{Label: "previous", ours: true}
)

// bindings is the feature gate for the status bindings of monitors and rules.
const bindings = "-feature-gates=StatusForConfigurationResources=true"

// command returns the command line of the operator. Neither side manages a kubelet Service: there are no nodes.
func (s Side) command(opt *Options, kubeconfig string, gate bool) string {
	words := []string{opt.Peer, fmt.Sprintf("--web.listen-address=127.0.0.1:%d", opt.WebPort)}
	if s.ours {
		words = []string{s.pick(opt.Ours, opt.Previous), "--operators", "monitoring", "--no-leader-election", "--kubeconfig", kubeconfig,
			"--listen-address", fmt.Sprintf("127.0.0.1:%d", opt.WebPort)}
	}
	if gate {
		words = append(words, bindings)
	}
	return strings.Join(words, " ")
}

// reloader returns the command line of the sidecar.
func (s Side) reloader(opt *Options, flags []string) string {
	program := opt.PeerReloader
	if s.ours {
		program = s.pick(opt.OurReloader, opt.PreviousReloader)
	}
	return strings.Join(append([]string{program}, flags...), " ")
}

// pick returns the program of an earlier build for the side that runs it.
func (s Side) pick(present, earlier string) string {
	if s.Label == previous.Label {
		return earlier
	}
	return present
}
