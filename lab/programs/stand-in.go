// Replaces programs that tests start and that no Go module contains. The first argument selects the program; the arguments
// after it are for the original program and are ignored.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	role := ""
	if len(os.Args) > 1 {
		role = os.Args[1]
	}
	switch role {
	case "prober":
		http.HandleFunc("/probe", probe)
		log.Fatal(http.ListenAndServe(":9115", nil))
	case "echo":
		http.HandleFunc("/", echo)
		go func() { log.Fatal(serveTLS(":8443")) }()
		log.Fatal(http.ListenAndServe(":8080", nil))
	case "web":
		http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
			fmt.Fprintln(answer, "the lab's stand-in for a web server")
		})
		log.Fatal(http.ListenAndServe(":80", nil))
	default:
		log.Fatalf("there is no role %q, only prober, echo and web", role)
	}
}

// Requests the target, and reports the result with the metrics of the blackbox exporter.
func probe(answer http.ResponseWriter, request *http.Request) {
	target := request.URL.Query().Get("target")
	if target == "" {
		http.Error(answer, "no target", http.StatusBadRequest)
		return
	}
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	start, success, status := time.Now(), 0, 0
	client := http.Client{Timeout: 5 * time.Second}
	if response, err := client.Get(target); err == nil {
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
		status = response.StatusCode
		if status >= 200 && status < 300 {
			success = 1
		}
	}
	answer.Header().Set("Content-Type", "text/plain; version=0.0.4")
	for _, metric := range []struct {
		name  string
		value any
	}{
		{"probe_success", success},
		{"probe_http_status_code", status},
		{"probe_duration_seconds", time.Since(start).Seconds()},
	} {
		fmt.Fprintf(answer, "# TYPE %s gauge\n%s %v\n", metric.name, metric.name, metric.value)
	}
}

func echo(answer http.ResponseWriter, request *http.Request) {
	fmt.Fprintf(answer, "%s %s %s\nHost: %s\n", request.Method, request.URL, request.Proto, request.Host)
	request.Header.Write(answer)
}

// Serves with a self-signed certificate that no client trusts.
func serveTLS(address string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "stand-in"},
		DNSNames:     []string{"localhost"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().AddDate(1, 0, 0),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	if err != nil {
		return err
	}
	pair := tls.Certificate{Certificate: [][]byte{certificate}, PrivateKey: key}
	server := http.Server{Addr: address, TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}}
	return server.ListenAndServeTLS("", "")
}
