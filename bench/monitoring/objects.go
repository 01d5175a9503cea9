package main

import (
	"encoding/base64"
	"fmt"
	"math/rand"
	"strings"
)

// The names of the Prometheus and of the objects that an operator creates for it.
const (
	homeNamespace  = "monitoring"
	firstNamespace = "aaa-first" // sorts before all others
	prometheusName = "bench"
	configSecret   = "prometheus-" + prometheusName
	configKey      = "prometheus.yaml.gz"
	monitoringAPI  = "/apis/monitoring.coreos.com/v1"
	markerPrefix   = "bench-marker-"
)

// watchedResources are requested once after a restore, so that the caches of the API server are full.
var watchedResources = []string{
	"/api/v1/namespaces", "/api/v1/secrets", "/api/v1/configmaps", "/apis/apps/v1/statefulsets",
	monitoringAPI + "/prometheuses", monitoringAPI + "/servicemonitors", monitoringAPI + "/podmonitors",
	monitoringAPI + "/prometheusrules", monitoringAPI + "/probes", monitoringAPI + "/alertmanagers", monitoringAPI + "/thanosrulers",
	"/apis/monitoring.coreos.com/v1alpha1/scrapeconfigs", "/apis/monitoring.coreos.com/v1alpha1/prometheusagents",
	"/apis/monitoring.coreos.com/v1alpha1/alertmanagerconfigs",
}

// Population is the number of objects in a snapshot. The same values always give the same objects.
type Population struct {
	Namespaces      int
	ServiceMonitors int
	PodMonitors     int
	Rules           int
	RulesEach       int
	Secrets         int
	ConfigMaps      int
	BasicAuth       bool // each ServiceMonitor has its own basicAuth Secret
	Churn           int  // unreferenced ConfigMaps and Secrets that a scenario rewrites
}

func (p Population) key() string {
	return fmt.Sprintf("ns%d-sm%d-pm%d-pr%dx%d-sec%d-cm%d-auth%t-churn%d",
		p.Namespaces, p.ServiceMonitors, p.PodMonitors, p.Rules, p.RulesEach, p.Secrets, p.ConfigMaps, p.BasicAuth, p.Churn)
}

func (p Population) namespace(i int) string {
	return fmt.Sprintf("team-%04d", i%p.Namespaces)
}

func (p Population) create(c *Client) {
	const workers = 48
	c.createAll(workers, p.Namespaces, func(i int) Object {
		return Object{"/api/v1/namespaces", meta("v1", "Namespace", "", fmt.Sprintf("team-%04d", i))}
	})
	for _, name := range []string{homeNamespace, firstNamespace} {
		c.create("/api/v1/namespaces", meta("v1", "Namespace", "", name))
	}
	if p.BasicAuth {
		c.createAll(workers, p.ServiceMonitors, func(i int) Object {
			o := meta("v1", "Secret", p.namespace(i), authSecretName(i))
			o["stringData"] = map[string]string{"username": fmt.Sprintf("user-%d", i), "password": fmt.Sprintf("initial-%d", i)}
			return Object{"/api/v1/namespaces/" + p.namespace(i) + "/secrets", o}
		})
	}
	c.createAll(workers, p.ServiceMonitors, func(i int) Object {
		return Object{monitorPath(p.namespace(i), "servicemonitors", ""), serviceMonitor(p.namespace(i), i, p.BasicAuth)}
	})
	c.createAll(workers, p.PodMonitors, func(i int) Object {
		return Object{monitorPath(p.namespace(i), "podmonitors", ""), podMonitor(p.namespace(i), i)}
	})
	c.createAll(workers, p.Rules, func(i int) Object {
		return Object{monitorPath(p.namespace(i), "prometheusrules", ""), prometheusRule(p.namespace(i), fmt.Sprintf("rules-%05d", i), i, p.RulesEach, "")}
	})
	c.createAll(workers, p.Secrets, func(i int) Object {
		r := rand.New(rand.NewSource(int64(i)))
		o := meta("v1", "Secret", p.namespace(i), fmt.Sprintf("app-credentials-%05d", i))
		raw := make([]byte, 1500+r.Intn(1500)) // 2-4 kB as base64
		r.Read(raw)
		o["data"] = map[string]string{"blob": base64.StdEncoding.EncodeToString(raw)}
		return Object{"/api/v1/namespaces/" + p.namespace(i) + "/secrets", o}
	})
	c.createAll(workers, p.ConfigMaps, func(i int) Object {
		r := rand.New(rand.NewSource(int64(i)))
		o := meta("v1", "ConfigMap", p.namespace(i), fmt.Sprintf("app-settings-%05d", i))
		var text strings.Builder
		for size := 2000 + r.Intn(2000); text.Len() < size; {
			fmt.Fprintf(&text, "setting.%d.%x = value-%x\n", i, r.Uint32(), r.Uint64())
		}
		o["data"] = map[string]string{"application.properties": text.String()}
		return Object{"/api/v1/namespaces/" + p.namespace(i) + "/configmaps", o}
	})
	c.createAll(workers, p.Churn, func(i int) Object {
		path, kind := churnPath(i)
		o := meta("v1", kind, churnNamespace(i), churnName(i))
		if kind == "Secret" {
			o["stringData"] = map[string]string{"value": "0"}
		} else {
			o["data"] = map[string]string{"value": "0"}
		}
		return Object{path, o}
	})
	c.create(monitorPath(homeNamespace, "prometheuses", ""), prometheus())
}

func meta(apiVersion, kind, namespace, name string) map[string]any {
	m := map[string]any{"name": name, "labels": map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "bench"}}
	if namespace != "" {
		m["namespace"] = namespace
	}
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": m}
}

func monitorPath(namespace, resource, name string) string {
	path := monitoringAPI + "/namespaces/" + namespace + "/" + resource
	if name != "" {
		path += "/" + name
	}
	return path
}

func authSecretName(i int) string     { return fmt.Sprintf("auth-%05d", i) }
func serviceMonitorName(i int) string { return fmt.Sprintf("service-%05d", i) }
func churnName(i int) string          { return fmt.Sprintf("churn-%03d", i) }

// churnNamespace returns the namespace of the Prometheus for half of the objects.
func churnNamespace(i int) string {
	if i%2 == 0 {
		return homeNamespace
	}
	return "team-0000"
}

func churnPath(i int) (path, kind string) {
	if (i/2)%2 == 0 {
		return "/api/v1/namespaces/" + churnNamespace(i) + "/configmaps", "ConfigMap"
	}
	return "/api/v1/namespaces/" + churnNamespace(i) + "/secrets", "Secret"
}

// prometheus returns a Prometheus that selects everything in every namespace.
func prometheus() map[string]any {
	o := meta("monitoring.coreos.com/v1", "Prometheus", homeNamespace, prometheusName)
	all := map[string]any{}
	o["spec"] = map[string]any{
		"replicas":               1,
		"serviceMonitorSelector": all, "serviceMonitorNamespaceSelector": all,
		"podMonitorSelector": all, "podMonitorNamespaceSelector": all,
		"probeSelector": all, "probeNamespaceSelector": all,
		"ruleSelector": all, "ruleNamespaceSelector": all,
		"scrapeConfigSelector": all, "scrapeConfigNamespaceSelector": all,
	}
	return o
}

// endpoint returns a typical endpoint of a ServiceMonitor: a path, an interval, one relabeling, one dropped metric.
func endpoint(i int, path string, auth bool) map[string]any {
	e := map[string]any{
		"port": "http-metrics", "interval": "30s", "scrapeTimeout": "10s", "path": path,
		"relabelings":       []any{map[string]any{"sourceLabels": []string{"__meta_kubernetes_pod_node_name"}, "targetLabel": "node", "action": "replace"}},
		"metricRelabelings": []any{map[string]any{"sourceLabels": []string{"__name__"}, "regex": "go_gc_duration_seconds.*", "action": "drop"}},
	}
	if auth {
		e["basicAuth"] = map[string]any{
			"username": map[string]any{"name": authSecretName(i), "key": "username"},
			"password": map[string]any{"name": authSecretName(i), "key": "password"},
		}
	}
	return e
}

func serviceMonitor(namespace string, i int, auth bool) map[string]any {
	o := meta("monitoring.coreos.com/v1", "ServiceMonitor", namespace, serviceMonitorName(i))
	o["spec"] = map[string]any{
		"jobLabel":  "app.kubernetes.io/name",
		"selector":  map[string]any{"matchLabels": map[string]string{"app.kubernetes.io/name": serviceMonitorName(i), "app.kubernetes.io/part-of": "bench"}},
		"endpoints": []any{endpoint(i, "/metrics", auth)},
	}
	return o
}

func podMonitor(namespace string, i int) map[string]any {
	name := fmt.Sprintf("pods-%05d", i)
	o := meta("monitoring.coreos.com/v1", "PodMonitor", namespace, name)
	o["spec"] = map[string]any{
		"selector":            map[string]any{"matchLabels": map[string]string{"app.kubernetes.io/name": name}},
		"podMetricsEndpoints": []any{map[string]any{"port": "http-metrics", "interval": "30s", "path": "/metrics"}},
	}
	return o
}

func prometheusRule(namespace, name string, seed, rules int, marker string) map[string]any {
	o := meta("monitoring.coreos.com/v1", "PrometheusRule", namespace, name)
	o["spec"] = map[string]any{"groups": []any{map[string]any{"name": name, "rules": ruleList(seed, rules, marker)}}}
	return o
}

// ruleList returns recording and alerting rules in turns, of the size that is usual in public mixins.
func ruleList(seed, rules int, marker string) []any {
	list := make([]any, 0, rules)
	for r := range rules {
		job := fmt.Sprintf("service-%05d", seed)
		if r%2 == 0 {
			list = append(list, map[string]any{
				"record": fmt.Sprintf("job:http_requests_%d:rate5m", r),
				"expr":   fmt.Sprintf(`sum by (job, namespace) (rate(http_requests_total{job="%s",code=~"5..",handler!="/healthz"}[5m])) / %d`, job, r+1),
			})
			continue
		}
		alert := map[string]any{
			"alert":  fmt.Sprintf("HighErrorRate%d", r),
			"expr":   fmt.Sprintf(`sum by (namespace, pod) (rate(http_requests_total{job="%s",code=~"5.."}[5m])) / sum by (namespace, pod) (rate(http_requests_total{job="%s"}[5m])) > 0.%02d`, job, job, r+1),
			"for":    "15m",
			"labels": map[string]string{"severity": "warning", "team": fmt.Sprintf("team-%d", seed%50)},
			"annotations": map[string]string{
				"summary":     "Too many requests fail.",
				"description": "{{ $labels.namespace }}/{{ $labels.pod }} answers {{ $value | humanizePercentage }} of its requests with an error.",
			},
		}
		if marker != "" && r == 1 {
			alert["expr"] = alert["expr"].(string) + fmt.Sprintf(` unless absent(bench{marker="%s"})`, marker)
		}
		list = append(list, alert)
	}
	return list
}
