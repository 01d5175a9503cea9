package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Seen is one state of a written object, as the watch of the observer received it.
type Seen struct {
	At       time.Time
	Name     string
	Size     int // bytes of the object's data as stored (gzip for the config Secret)
	Raw      int // bytes after decompression
	Marker   int // highest bench-marker-<n> in it, -1 if none
	Services int // scrape jobs made from ServiceMonitors
	Pods     int // scrape jobs made from PodMonitors
	Files    int // keys (rule files) of a ConfigMap
}

// Observer watches what the operator writes: the configuration Secret and the rule ConfigMaps.
// The time of an event is taken when it is received, before the content is decompressed and searched.
type Observer struct {
	mu      sync.Mutex
	secrets []Seen
	rules   []Seen
	config  []byte                       // the last configuration, compressed
	files   map[string]map[string]string // the last rule files by ConfigMap
	cancel  context.CancelFunc
	kick    chan struct{}
}

type watchEvent struct {
	Type   string `json:"type"`
	Object struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Data json.RawMessage `json:"data"`
	} `json:"object"`
}

type arrival struct {
	at   time.Time
	line []byte
}

func startObserver(c *Client) *Observer {
	ctx, cancel := context.WithCancel(context.Background())
	o := &Observer{cancel: cancel, kick: make(chan struct{}, 1), files: map[string]map[string]string{}}
	o.follow(ctx, c, "/api/v1/namespaces/"+homeNamespace+"/secrets?watch=1&fieldSelector=metadata.name%3D"+configSecret, o.secret)
	o.follow(ctx, c, "/api/v1/namespaces/"+homeNamespace+"/configmaps?watch=1&labelSelector=prometheus-name%3D"+prometheusName, o.ruleMap)
	return o
}

func (o *Observer) follow(ctx context.Context, c *Client, path string, digest func(arrival, watchEvent)) {
	ready := make(chan struct{})
	queue := make(chan arrival, 10000)
	go func() {
		err := c.watch(ctx, path, ready, func(at time.Time, line []byte) { queue <- arrival{at, line} })
		if ctx.Err() == nil {
			fatal("the watch of the observer ended: %v", err)
		}
		close(queue)
	}()
	<-ready
	go func() {
		for a := range queue {
			var e watchEvent
			if json.Unmarshal(a.line, &e) != nil {
				continue
			}
			if e.Type == "DELETED" {
				o.mu.Lock()
				delete(o.files, e.Object.Metadata.Name)
				o.mu.Unlock()
			}
			if e.Type != "ADDED" && e.Type != "MODIFIED" {
				continue
			}
			digest(a, e)
			select {
			case o.kick <- struct{}{}:
			default:
			}
		}
	}()
}

func (o *Observer) secret(a arrival, e watchEvent) {
	var data map[string][]byte
	if json.Unmarshal(e.Object.Data, &data) != nil {
		return
	}
	gz := data[configKey]
	text := gunzip(gz)
	s := Seen{At: a.at, Name: e.Object.Metadata.Name, Size: len(gz), Raw: len(text), Marker: highestMarker(text),
		Services: countJobs(text, "serviceMonitor/"), Pods: countJobs(text, "podMonitor/")}
	o.mu.Lock()
	o.secrets, o.config = append(o.secrets, s), gz
	o.mu.Unlock()
}

func (o *Observer) ruleMap(a arrival, e watchEvent) {
	var data map[string]string
	if json.Unmarshal(e.Object.Data, &data) != nil {
		return
	}
	s := Seen{At: a.at, Name: e.Object.Metadata.Name, Marker: -1, Files: len(data)}
	for key, text := range data {
		s.Size += len(key) + len(text)
		s.Marker = max(s.Marker, highestMarker([]byte(text)))
	}
	o.mu.Lock()
	o.rules, o.files[s.Name] = append(o.rules, s), data
	o.mu.Unlock()
}

func gunzip(gz []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return gz
	}
	text, _ := io.ReadAll(r)
	return text
}

func countJobs(text []byte, kind string) int {
	n := 0
	for _, quote := range []string{"", `"`, "'"} {
		n += bytes.Count(text, []byte("job_name: "+quote+kind))
	}
	return n
}

func highestMarker(text []byte) int {
	best := -1
	for {
		at := bytes.Index(text, []byte(markerPrefix))
		if at < 0 {
			return best
		}
		text = text[at+len(markerPrefix):]
		end := 0
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if n, err := strconv.Atoi(string(text[:end])); err == nil {
			best = max(best, n)
		}
	}
}

// identity is the part of a rule file's name that is the UID of the object.
var identity = regexp.MustCompile(`-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// written stores what the operator has written in dir, and returns its hash: the decompressed configuration and all rule
// files. The ConfigMap of a file is not included, because the operator can choose it.
func (o *Observer) written(dir string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	files := map[string][]byte{"prometheus.yaml": gunzip(o.config)}
	for _, data := range o.files {
		for name, text := range data {
			// An object that is created during a run has another UID in the next run.
			if strings.HasPrefix(name, firstNamespace) {
				name = identity.ReplaceAllString(name, "")
			}
			files["rules/"+name] = []byte(text)
		}
	}
	hash := sha256.New()
	must(os.RemoveAll(dir))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(hash, name, len(files[name]))
		_, _ = hash.Write(files[name])
		file := filepath.Join(dir, name)
		must(os.MkdirAll(filepath.Dir(file), 0o755))
		must(os.WriteFile(file, files[name], 0o644))
	}
	return hex.EncodeToString(hash.Sum(nil))[:16]
}

func (o *Observer) snapshot() (secrets, rules []Seen) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]Seen(nil), o.secrets...), append([]Seen(nil), o.rules...)
}

// wait returns true as soon as done does for what was seen so far, and false at the limit.
func (o *Observer) wait(limit time.Duration, done func(secrets, rules []Seen) bool) bool {
	end := time.After(limit)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		if done(o.snapshot()) {
			return true
		}
		select {
		case <-o.kick:
		case <-tick.C:
		case <-end:
			return false
		}
	}
}

// firstWith returns the time at which the first state with the marker n or a later one arrived.
func firstWith(seen []Seen, n int) (time.Time, bool) {
	for _, s := range seen {
		if s.Marker >= n {
			return s.At, true
		}
	}
	return time.Time{}, false
}

// ruleFiles returns the number of rule files and of ConfigMaps, each in its newest state.
func ruleFiles(rules []Seen) (files, maps int) {
	newest := map[string]Seen{}
	for _, r := range rules {
		newest[r.Name] = r
	}
	for _, r := range newest {
		files += r.Files
	}
	return files, len(newest)
}
