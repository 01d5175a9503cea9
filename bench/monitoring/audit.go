package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"
)

// Requests counts the operator's requests by "verb resource".
type Requests map[string]int

// sum adds the counts that are selected.
func (r Requests) sum(selected func(verb, resource string) bool) float64 {
	n := 0
	for key, count := range r {
		verb, rest, _ := strings.Cut(key, " ")
		resource, _, _ := strings.Cut(rest, " ")
		if selected(verb, resource) {
			n += count
		}
	}
	return float64(n)
}

func isWatch(verb string) bool { return verb == "watch" || verb == "watch-list" }

// byTheClock returns whether a request depends on the time only: a restarted watch, a renewed lease.
func byTheClock(verb, resource string) bool { return isWatch(verb) || resource == "leases" }

// figures returns the sums that are reported.
func (r Requests) figures() Figures {
	return Figures{
		"requests":          r.sum(func(verb, resource string) bool { return !byTheClock(verb, resource) }),
		"requests_by_clock": r.sum(byTheClock),
		"gets":              r.sum(func(verb, _ string) bool { return verb == "get" }),
		"configmaps_sent": r.sum(func(verb, resource string) bool {
			return resource == "configmaps" && (verb == "create" || verb == "update" || verb == "patch")
		}),
	}
}

type auditEvent struct {
	Stage string `json:"stage"`
	Verb  string `json:"verb"`
	URI   string `json:"requestURI"`
	User  struct {
		Username string `json:"username"`
	} `json:"user"`
	Object *struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	Status struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// Audit reads the audit log of the API server, which has all requests with the certificate of the operator.
type Audit struct {
	file string
}

func (a Audit) mark() int64 {
	info, err := os.Stat(a.file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// since counts the operator's requests that were logged after mark. A watch counts when it starts, all
// other requests when they end. A watch with an initial list is "watch-list".
func (a Audit) since(mark int64) Requests {
	counts := Requests{}
	f, err := os.Open(a.file)
	if err != nil {
		return counts
	}
	defer f.Close()
	_, _ = f.Seek(mark, io.SeekStart)
	reader := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return counts
		}
		var e auditEvent
		if json.Unmarshal(line, &e) != nil || e.User.Username != operatorUser {
			continue
		}
		if isWatch(e.Verb) != (e.Stage == "ResponseStarted") {
			continue
		}
		resource := "(none)"
		if e.Object != nil {
			resource = e.Object.Resource
			if e.Object.Subresource != "" {
				resource += "/" + e.Object.Subresource
			}
		}
		verb := e.Verb
		if isWatch(verb) && strings.Contains(e.URI, "sendInitialEvents=true") {
			verb = "watch-list"
		}
		key := verb + " " + resource
		if e.Status.Code >= 400 {
			key += " (failed)"
		}
		counts[key]++
	}
}
