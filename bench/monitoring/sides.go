package main

import (
	"fmt"
	"strings"
)

// Side is one of the programs that are compared, and how it is started.
type Side struct {
	Label string
	// Is it ours?
	ours bool
	env  []string
	// How many of the runs it takes part in; 0 is all.
	runs int
}

// The peer as its charts start it; with the garbage collector as Go has it, once, for comparison; and ours.
var (
	peer          = Side{Label: "peer", env: []string{"GOGC=30"}}
	peerDefaultGC = Side{Label: "peer-default-gc", runs: 1}
	ours          = Side{Label: "ours", ours: true}
)

// bindings is the gate that tells every monitor and rule what became of it.
const bindings = "-feature-gates=StatusForConfigurationResources=true"

// command is the line that starts the operator. Neither keeps a Service of kubelets: there are none.
func (s Side) command(opt *Options, kubeconfig string, gate bool) string {
	words := []string{opt.Peer, fmt.Sprintf("--web.listen-address=127.0.0.1:%d", opt.WebPort)}
	if s.ours {
		words = []string{opt.Ours, "--operators", "monitoring", "--no-leader-election", "--kubeconfig", kubeconfig,
			"--listen-address", fmt.Sprintf("127.0.0.1:%d", opt.WebPort)}
	}
	if gate {
		words = append(words, bindings)
	}
	return strings.Join(words, " ")
}

// reloader is the line that starts the sidecar on these files.
func (s Side) reloader(opt *Options, flags []string) string {
	program := opt.PeerReloader
	if s.ours {
		program = opt.OurReloader
	}
	return strings.Join(append([]string{program}, flags...), " ")
}
