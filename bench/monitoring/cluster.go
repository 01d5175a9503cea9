package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	harnessUser  = "bench-harness"
	operatorUser = "operator-under-test"
)

// Cluster is a kube-apiserver and an etcd that listen on loopback.
type Cluster struct {
	opt    *Options
	dir    string
	etcd   *Process
	api    *Process
	client *Client
	proxy  *Proxy
	audit  Audit
	// The kubeconfig of the operator, which uses the proxy.
	kubeconfig string
}

func newCluster(opt *Options) *Cluster {
	c := &Cluster{opt: opt, dir: opt.Work}
	for _, d := range []string{"pki", "snapshots", "run", "log", "written"} {
		must(os.MkdirAll(filepath.Join(c.dir, d), 0o755))
	}
	c.ensurePKI()
	c.audit = Audit{file: c.path("log", "audit.json")}
	c.kubeconfig = c.writeKubeconfig("operator", opt.APIPort+1)
	// For debugging.
	c.writeKubeconfig("harness", opt.APIPort)
	policy := `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ["` + operatorUser + `"]
- level: None
`
	c.write(c.path("run", "audit-policy.yaml"), []byte(policy), 0o644)
	return c
}

func (c *Cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

func (c *Cluster) write(file string, data []byte, mode os.FileMode) {
	must(os.WriteFile(file, data, mode))
}

// ensurePKI creates the CA, the serving certificate, the two client certificates and the token key, if they do not exist.
func (c *Cluster) ensurePKI() {
	if _, err := os.Stat(c.path("pki", "operator.crt")); err == nil {
		return
	}
	caKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bench-ca"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, &caKey.PublicKey, caKey)
	must(err)
	c.write(c.path("pki", "ca.crt"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: caDER}), 0o644)
	leaf := func(serial int64, file, name, org string, usage x509.ExtKeyUsage) {
		key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		t := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name, Organization: []string{org}},
			NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
			KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost", "kubernetes.default.svc"},
		}
		der, err := x509.CreateCertificate(rand.Reader, t, ca, &key.PublicKey, caKey)
		must(err)
		keyDER, _ := x509.MarshalPKCS8PrivateKey(key)
		c.write(c.path("pki", file+".crt"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
		c.write(c.path("pki", file+".key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600)
	}
	tokenKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	c.write(c.path("pki", "token.key"), pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(tokenKey)}), 0o600)
	leaf(2, "server", "kube-apiserver", "bench", x509.ExtKeyUsageServerAuth)
	leaf(3, "harness", harnessUser, "system:masters", x509.ExtKeyUsageClientAuth)
	leaf(4, "operator", operatorUser, "system:masters", x509.ExtKeyUsageClientAuth)
}

func (c *Cluster) writeKubeconfig(identity string, port int) string {
	file := c.path("run", identity+".kubeconfig")
	c.write(file, []byte(fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- {name: bench, cluster: {server: "https://127.0.0.1:%d", certificate-authority: %q}}
users:
- {name: bench, user: {client-certificate: %q, client-key: %q}}
contexts:
- {name: bench, context: {cluster: bench, user: bench}}
current-context: bench
`, port, c.path("pki", "ca.crt"), c.path("pki", identity+".crt"), c.path("pki", identity+".key"))), 0o600)
	return file
}

// start starts etcd with the data in run/etcd, and kube-apiserver.
func (c *Cluster) start(cores string) {
	opt := c.opt
	_ = os.Remove(c.audit.file)
	etcd := fmt.Sprintf("%s --name bench --data-dir %s --listen-client-urls http://127.0.0.1:%d --advertise-client-urls http://127.0.0.1:%d"+
		" --listen-peer-urls http://127.0.0.1:%d --initial-advertise-peer-urls http://127.0.0.1:%d --initial-cluster bench=http://127.0.0.1:%d"+
		" --unsafe-no-fsync --quota-backend-bytes 8589934592 --snapshot-count 1000000 --log-level warn",
		opt.Etcd, c.path("run", "etcd"), opt.EtcdPort, opt.EtcdPort, opt.EtcdPort+1, opt.EtcdPort+1, opt.EtcdPort+1)
	var err error
	if c.etcd, err = startProcess("etcd", etcd, cores, c.path("log", "etcd.log"), nil); err != nil {
		fatal("etcd: %v", err)
	}
	pki := func(f string) string { return c.path("pki", f) }
	api := strings.Join([]string{opt.APIServer,
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", opt.EtcdPort), "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", opt.APIPort),
		"--tls-cert-file=" + pki("server.crt"), "--tls-private-key-file=" + pki("server.key"), "--client-ca-file=" + pki("ca.crt"),
		"--service-account-key-file=" + pki("token.key"), "--service-account-signing-key-file=" + pki("token.key"),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount", "--endpoint-reconciler-type=none",
		"--audit-policy-file=" + c.path("run", "audit-policy.yaml"), "--audit-log-path=" + c.audit.file, "--audit-log-maxsize=2000",
	}, " ")
	if c.api, err = startProcess("kube-apiserver", api, cores, c.path("log", "apiserver.log"), nil); err != nil {
		fatal("kube-apiserver: %v", err)
	}
	cert, err := tls.LoadX509KeyPair(pki("harness.crt"), pki("harness.key"))
	must(err)
	ca, _ := os.ReadFile(pki("ca.crt"))
	c.client = newClient(fmt.Sprintf("https://127.0.0.1:%d", opt.APIPort), ca, cert)
	deadline := time.Now().Add(120 * time.Second)
	for {
		code, _, _ := c.client.do(context.Background(), "GET", "/readyz", "", "*/*", nil)
		if code == 200 {
			break
		}
		if time.Now().After(deadline) || !c.api.alive() || !c.etcd.alive() {
			fatal("the API server does not become ready; see %s", c.path("log"))
		}
		time.Sleep(200 * time.Millisecond)
	}
	if c.proxy, err = startProxy(fmt.Sprintf("127.0.0.1:%d", opt.APIPort+1), fmt.Sprintf("127.0.0.1:%d", opt.APIPort)); err != nil {
		fatal("proxy: %v", err)
	}
}

func (c *Cluster) stop() {
	if c.proxy != nil {
		c.proxy.stop()
		c.proxy = nil
	}
	c.api.stop()
	c.etcd.stop()
	c.api, c.etcd = nil, nil
}

// installCRDs creates the CRDs from all YAML files of the directory.
func (c *Cluster) installCRDs() {
	files, _ := filepath.Glob(filepath.Join(c.opt.CRDs, "*.yaml"))
	if len(files) == 0 {
		fatal("no *.yaml in --crds %q", c.opt.CRDs)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		must(err)
		c.client.must("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", yamlType, body)
	}
	for _, resource := range []string{"servicemonitors", "podmonitors", "prometheusrules", "prometheuses"} {
		c.waitServed("/apis/monitoring.coreos.com/v1/" + resource + "?limit=1")
	}
}

func (c *Cluster) waitServed(path string) {
	for range 300 {
		if code, _, _ := c.client.do(context.Background(), "GET", path, "", jsonType, nil); code == 200 {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	fatal("%s is not served", path)
}

// versionHash is different for snapshots that were made with other programs or CRDs.
func (c *Cluster) versionHash() string {
	hash := sha256.New()
	fmt.Fprintln(hash, c.opt.APIServer, c.opt.Etcd)
	files, _ := filepath.Glob(filepath.Join(c.opt.CRDs, "*.yaml"))
	for _, f := range files {
		body, err := os.ReadFile(f)
		must(err)
		_, _ = hash.Write(body)
	}
	return hex.EncodeToString(hash.Sum(nil))[:12]
}

// ensureSnapshot creates the population in a new cluster and keeps the etcd directory, if there is no such snapshot.
func (c *Cluster) ensureSnapshot(p Population) string {
	dir := c.path("snapshots", p.key()+"-"+c.versionHash())
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	old, _ := filepath.Glob(c.path("snapshots", p.key()+"-*"))
	for _, o := range old {
		_ = os.RemoveAll(o)
	}
	note("populate %s", p.key())
	started := time.Now()
	_ = os.RemoveAll(c.path("run", "etcd"))
	c.start("")
	c.installCRDs()
	p.create(c.client)
	c.stop()
	c.copyDir(c.path("run", "etcd"), dir)
	note("populated %s in %.1f s", p.key(), time.Since(started).Seconds())
	return dir
}

// restore starts the cluster with a copy of the snapshot, and waits until the API server is idle and its caches are full.
func (c *Cluster) restore(p Population) {
	dir := c.ensureSnapshot(p)
	pinSelf(c.opt.ServerCores)
	_ = os.RemoveAll(c.path("run", "etcd"))
	c.copyDir(dir, c.path("run", "etcd"))
	c.start(c.opt.ServerCores)
	for _, resource := range watchedResources {
		c.waitServed(resource + "?limit=1&resourceVersion=0")
	}
	c.api.waitQuiet(2*time.Second, 0.10, 60*time.Second)
}

func (c *Cluster) copyDir(from, to string) {
	tmp := to + ".tmp"
	_ = os.RemoveAll(tmp)
	if out, err := exec.Command("cp", "-a", "--reflink=auto", from, tmp).CombinedOutput(); err != nil {
		fatal("copy: %v: %s", err, out)
	}
	must(os.Rename(tmp, to))
}
