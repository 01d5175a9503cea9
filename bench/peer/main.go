// Renders configurations with the Prometheus Operator's own generator, and reports what that cost. The benchmark runs it
// with the same inputs as our generator.
//
// Usage: peer DIRECTORY monitors|rules ROUNDS
//
// The directory contains prometheus.json and lists of objects: servicemonitors.json, secrets.json, rules.json. The result
// of the last round is written to DIRECTORY/peer.out; one line of JSON on standard output has the figures.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/promql/parser"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"

	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring"
	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/prometheus-operator/prometheus-operator/pkg/assets"
	"github.com/prometheus-operator/prometheus-operator/pkg/informers"
	"github.com/prometheus-operator/prometheus-operator/pkg/namespacelabeler"
	"github.com/prometheus-operator/prometheus-operator/pkg/operator"
	generator "github.com/prometheus-operator/prometheus-operator/pkg/prometheus"
)

// figures are the costs, with one value for each round.
type figures struct {
	Microseconds []int64  `json:"microseconds"`
	Allocated    []uint64 `json:"allocated"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 3 {
		return errors.New("usage: peer DIRECTORY monitors|rules ROUNDS")
	}
	directory, what := arguments[0], arguments[1]
	rounds, err := strconv.Atoi(arguments[2])
	if err != nil {
		return err
	}
	server := &monitoringv1.Prometheus{}
	if err := read(filepath.Join(directory, "prometheus.json"), server); err != nil {
		return err
	}
	var render func() (string, error)
	switch what {
	case "monitors":
		render, err = monitors(directory, server)
	case "rules":
		render, err = rules(directory, server)
	default:
		return fmt.Errorf("unknown mode %q: must be monitors or rules", what)
	}
	if err != nil {
		return err
	}
	var (
		costs  figures
		result string
	)
	for range rounds {
		runtime.GC()
		time, allocated := cpu(), bytes()
		if result, err = render(); err != nil {
			return err
		}
		costs.Microseconds = append(costs.Microseconds, cpu()-time)
		costs.Allocated = append(costs.Allocated, bytes()-allocated)
	}
	if err := os.WriteFile(filepath.Join(directory, "peer.out"), []byte(result), 0o644); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(costs)
}

// monitors selects, checks and renders all ServiceMonitors, as a sync does.
func monitors(directory string, server *monitoringv1.Prometheus) (func() (string, error), error) {
	var list monitoringv1.ServiceMonitorList
	if err := read(filepath.Join(directory, "servicemonitors.json"), &list); err != nil {
		return nil, err
	}
	var secrets corev1.SecretList
	if err := read(filepath.Join(directory, "secrets.json"), &secrets); err != nil {
		return nil, err
	}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace)
	for i := range list.Items {
		if err := indexer.Add(&list.Items[i]); err != nil {
			return nil, err
		}
	}
	silent := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError}))
	return func() (string, error) {
		store := assets.NewTestStoreBuilder()
		for i := range secrets.Items {
			if err := store.AddObject(&secrets.Items[i]); err != nil {
				return "", err
			}
		}
		selector, err := generator.NewResourceSelector(
			silent, server, store, nil, operator.NewMetrics(prometheus.NewRegistry()), operator.NewFakeRecorder(1, server))
		if err != nil {
			return "", err
		}
		selected, err := selector.SelectServiceMonitors(context.Background(),
			func(namespace string, selector labels.Selector, add cache.AppendFunc) error {
				return cache.ListAllByNamespace(indexer, namespace, selector, add)
			})
		if err != nil {
			return "", err
		}
		config, err := generator.NewConfigGenerator(silent, server)
		if err != nil {
			return "", err
		}
		text, err := config.GenerateServerConfiguration(
			server, selected.ValidResources(), nil, nil, nil, store, nil, nil, nil, nil)
		return string(text), err
	}, nil
}

// rules selects, checks and renders all PrometheusRules, as a sync does.
func rules(directory string, server *monitoringv1.Prometheus) (func() (string, error), error) {
	var list monitoringv1.PrometheusRuleList
	if err := read(filepath.Join(directory, "rules.json"), &list); err != nil {
		return nil, err
	}
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{}, &monitoringv1.PrometheusRule{}, 0, byNamespace)
	for i := range list.Items {
		if err := informer.GetIndexer().Add(&list.Items[i]); err != nil {
			return nil, err
		}
	}
	factory, err := informers.NewInformersForResource(singleInformer{informer}, schema.GroupVersionResource{
		Group: monitoring.GroupName, Version: "v1", Resource: monitoringv1.PrometheusRuleName,
	})
	if err != nil {
		return nil, err
	}
	silent := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError}))
	return func() (string, error) {
		selector, err := operator.NewPrometheusRuleSelector(
			operator.PrometheusFormat, server.Spec.Version, server.Spec.RuleSelector,
			namespacelabeler.New(server.Spec.EnforcedNamespaceLabel, nil, true),
			factory, operator.NewFakeRecorder(1, server), silent, parser.Options{})
		if err != nil {
			return "", err
		}
		selection, err := selector.Select([]string{server.Namespace})
		if err != nil {
			return "", err
		}
		return joined(selection.RuleFiles()), nil
	}, nil
}

// joined returns all files as one text, sorted by name.
func joined(files map[string]string) string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "# %s\n%s", name, files[name])
	}
	return text.String()
}

var byNamespace = cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}

// singleInformer always returns one informer, which never runs: its store is filled before.
type singleInformer struct{ informer cache.SharedIndexInformer }

func (s singleInformer) Namespaces() sets.Set[string] { return sets.New(metav1.NamespaceAll) }

func (s singleInformer) ForResource(_ string, resource schema.GroupVersionResource) (informers.InformLister, error) {
	return filledLister{s.informer, resource}, nil
}

type filledLister struct {
	informer cache.SharedIndexInformer
	resource schema.GroupVersionResource
}

func (f filledLister) Informer() cache.SharedIndexInformer { return f.informer }

func (f filledLister) Lister() cache.GenericLister {
	return cache.NewGenericLister(f.informer.GetIndexer(), f.resource.GroupResource())
}

func read(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// cpu returns the CPU time of all threads in microseconds, garbage collection included.
func cpu() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	micros := func(t syscall.Timeval) int64 { return t.Sec*1_000_000 + int64(t.Usec) }
	return micros(usage.Utime) + micros(usage.Stime)
}

// bytes returns the number of bytes that were ever allocated.
func bytes() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}
