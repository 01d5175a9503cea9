package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// reloads is a fake Prometheus: it records the time of each reload and the content of the expanded file at that time.
type reloads struct {
	mu   sync.Mutex
	out  string
	seen []reloadSeen
}

type reloadSeen struct {
	at       time.Time
	marker   int
	expanded bool
}

func (s *reloads) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	at := time.Now()
	text, _ := os.ReadFile(s.out)
	s.mu.Lock()
	s.seen = append(s.seen, reloadSeen{at, highestMarker(text), len(text) > 0 && !bytes.Contains(text, []byte("$(POD_NAME)")) && bytes.Contains(text, []byte("prometheus-bench-0"))})
	s.mu.Unlock()
	w.WriteHeader(http.StatusOK)
}

func (s *reloads) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

func (s *reloads) nth(n int) reloadSeen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[n]
}

// sidecar is one reloader, the volumes of its pod and the server that it reloads.
type sidecar struct {
	task    *Task
	server  *reloads
	address string
	config  *volume
	rules   []*volume
	out     string
	marker  int
	process *Process
}

// reloader measures the sidecar alone: changes, swaps to the same content, and passes without an event.
func reloader(t *Task) {
	pinSelf(t.opt.ServerCores)
	must(os.MkdirAll(filepath.Join(t.opt.Work, "log"), 0o755))
	// The volumes of Secrets are in memory, too.
	root, err := os.MkdirTemp("/dev/shm", "bench-reloader-")
	must(err)
	defer os.RemoveAll(root)
	s := newSidecar(t, root)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	web := &http.Server{Handler: s.server}
	defer web.Close()
	go func() { _ = web.Serve(listener) }()
	s.address = listener.Addr().String()

	first := s.start(3 * time.Minute)
	t.record("changes", s.changes(first), "")
	t.record("same", s.same(), "")
	s.process.stop()
	t.record("nothing", s.nothing(), "")
}

func newSidecar(t *Task, root string) *sidecar {
	s := &sidecar{task: t, config: &volume{dir: filepath.Join(root, "config")}, out: filepath.Join(root, "out", "prometheus.env.yaml")}
	s.server = &reloads{out: s.out}
	must(os.MkdirAll(filepath.Dir(s.out), 0o755))
	rules := bytes.Repeat([]byte("- alert: HighErrorRate\n  expr: sum(rate(http_requests_total[5m])) > 0.01\n"), 500<<10/75)
	for d := range 3 {
		v := &volume{dir: filepath.Join(root, fmt.Sprintf("rules-%d", d))}
		v.swap(map[string][]byte{"rules.yaml": rules})
		s.rules = append(s.rules, v)
	}
	s.swap(1)
	return s
}

// swap updates the volume to the configuration with this marker.
func (s *sidecar) swap(marker int) time.Time {
	const size = 10 << 20
	s.marker = marker
	bytes := size
	if s.task.opt.Quick {
		bytes /= 100
	}
	return s.config.swap(map[string][]byte{configKey: compress(scrapeText(bytes, marker))})
}

// start starts the program, and returns the time until its first reload.
func (s *sidecar) start(interval time.Duration) time.Duration {
	flags := []string{"--listen-address=127.0.0.1:0", "--reload-url=http://" + s.address + "/-/reload", "--config-file=" + filepath.Join(s.config.dir, configKey),
		"--config-envsubst-file=" + s.out, "--watch-interval=" + interval.String(), "--watched-dir=" + s.config.dir}
	for _, v := range s.rules {
		flags = append(flags, "--watched-dir="+v.dir)
	}
	opt, side := s.task.opt, s.task.side
	started, have := time.Now(), s.server.count()
	p, err := startProcess("reloader", side.reloader(opt, flags), opt.OperatorCores, filepath.Join(opt.Work, "log", "reloader.log"), []string{"POD_NAME=prometheus-bench-0", "SHARD=0"})
	must(err)
	s.process = p
	s.await(have + 1)
	took := time.Since(started)
	time.Sleep(3 * time.Second)
	return took
}

// await waits for the n-th reload.
func (s *sidecar) await(n int) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if s.server.count() >= n {
			return
		}
	}
	fatal("no reload; see %s", filepath.Join(s.task.opt.Work, "log", "reloader.log"))
}

// changes swaps to different contents. It fails if the content at the time of a reload is not the expected one.
func (s *sidecar) changes(first time.Duration) Figures {
	const pause = time.Second
	atStart := s.process.usage()
	s.process.resetPeak()
	before := s.process.usage()
	var delay []float64
	for range s.task.work.Changes {
		have := s.server.count()
		at := s.swap(s.marker + 1)
		s.await(have + 1)
		seen := s.server.nth(have)
		if seen.marker != s.marker || !seen.expanded {
			fatal("reload %d found another configuration: %+v", have, seen)
		}
		delay = append(delay, float64(seen.at.Sub(at).Microseconds())/1000)
		time.Sleep(pause)
	}
	figures := s.since(before, s.task.work.Changes)
	after := s.process.usage()
	latency := spread(delay)
	figures["latency_ms"], figures["latency_most_ms"] = round(latency.Median, 2), round(latency.Max, 2)
	figures["first_ms"], figures["start_cpu_ms"] = round(first.Seconds()*1000, 1), round(atStart.CPU*1000, 1)
	figures["rss_mb"], figures["peak_rss_mb"] = mb(after.RSS), mb(max(after.HWM, atStart.HWM))
	return figures
}

// same swaps the directory to the same content, as the kubelet does.
func (s *sidecar) same() Figures {
	const swaps, pause = 5, 3 * time.Second
	before, have := s.process.usage(), s.server.count()
	for range swaps {
		s.swap(s.marker)
		time.Sleep(pause)
	}
	figures := s.since(before, swaps)
	figures["reloads"] = float64(s.server.count() - have)
	return figures
}

// nothing measures passes without an event, with a shorter interval than the default.
func (s *sidecar) nothing() Figures {
	const passes, interval = 6, 5 * time.Second
	s.start(interval)
	before, have := s.process.usage(), s.server.count()
	time.Sleep(passes * interval)
	figures := s.since(before, passes)
	figures["reloads"] = float64(s.server.count() - have)
	s.process.stop()
	return figures
}

func (s *sidecar) since(before Usage, times int) Figures {
	after := s.process.usage()
	return Figures{"cpu_ms": round((after.CPU-before.CPU)*1000/float64(times), 2),
		"written_bytes": float64((after.WChar - before.WChar) / int64(times)), "read_bytes": float64((after.RChar - before.RChar) / int64(times))}
}
