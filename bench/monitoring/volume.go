package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// scrapeText returns a configuration of about size bytes, similar to those that operators generate.
func scrapeText(size, marker int) []byte {
	var b bytes.Buffer
	b.WriteString("global:\n  scrape_interval: 30s\n  external_labels:\n    prometheus: monitoring/bench\n    prometheus_replica: $(POD_NAME)\n")
	fmt.Fprintf(&b, "# %s%d\nscrape_configs:\n", markerPrefix, marker)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "- job_name: serviceMonitor/team-%04d/service-%05d/0\n  honor_labels: false\n  kubernetes_sd_configs:\n  - role: endpoints\n    namespaces:\n      names:\n      - team-%04d\n  scrape_interval: 30s\n  metrics_path: /metrics\n  relabel_configs:\n", i%200, i, i%200)
		for _, label := range []string{"service_label_app_kubernetes_io_name", "endpoint_port_name", "namespace", "service_name", "pod_name", "pod_container_name"} {
			fmt.Fprintf(&b, "  - action: replace\n    source_labels:\n    - __meta_kubernetes_%s\n    target_label: %s\n    regex: (.+)\n    replacement: $1\n", label, label)
		}
		b.WriteString("  - source_labels:\n    - __tmp_hash\n    regex: $(SHARD)\n    action: keep\n")
	}
	return b.Bytes()
}

func compress(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text)
	_ = w.Close()
	return b.Bytes()
}

// volume is a directory that is updated as the kubelet does it: with a new directory, to which ..data is then switched by a
// rename.
type volume struct {
	dir, current string
	swaps        int
}

func (v *volume) swap(files map[string][]byte) time.Time {
	v.swaps++
	stamp := fmt.Sprintf("..2026_01_01_00_00_00.%09d", v.swaps)
	must(os.MkdirAll(filepath.Join(v.dir, stamp), 0o755))
	for name, data := range files {
		must(os.WriteFile(filepath.Join(v.dir, stamp, name), data, 0o644))
	}
	tmp := filepath.Join(v.dir, "..data_tmp")
	must(os.Symlink(stamp, tmp))
	must(os.Rename(tmp, filepath.Join(v.dir, "..data")))
	at := time.Now()
	for name := range files {
		link := filepath.Join(v.dir, name)
		if _, err := os.Lstat(link); err != nil {
			must(os.Symlink(filepath.Join("..data", name), link))
		}
	}
	if v.current != "" {
		must(os.RemoveAll(filepath.Join(v.dir, v.current)))
	}
	v.current = stamp
	return at
}
