package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Client is a minimal client for the Kubernetes API.
type Client struct {
	base string
	http *http.Client
}

func newClient(base string, ca []byte, cert tls.Certificate) *Client {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	return &Client{base: base, http: &http.Client{Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{cert}},
		ForceAttemptHTTP2:   true,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 64,
	}}}
}

func (c *Client) do(ctx context.Context, method, path, contentType, accept string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("User-Agent", "bench-harness")
	req.Header.Set("Accept", accept)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, data, err
}

const (
	jsonType       = "application/json"
	yamlType       = "application/yaml"
	mergePatchType = "application/merge-patch+json"
)

func (c *Client) must(method, path, contentType string, body []byte) []byte {
	code, data, err := c.do(context.Background(), method, path, contentType, jsonType, body)
	if err != nil || code >= 300 {
		fatal("%s %s: code %d, %v: %.600s", method, path, code, err, data)
	}
	return data
}

func (c *Client) create(path string, object any) {
	body, err := json.Marshal(object)
	must(err)
	c.must("POST", path, jsonType, body)
}

func (c *Client) patch(path string, change any) time.Time {
	body, _ := json.Marshal(change)
	c.must("PATCH", path, mergePatchType, body)
	return time.Now()
}

// Object is an object to create, and the path to create it at.
type Object struct {
	Path string
	Body any
}

// createAll creates n objects with several workers.
func (c *Client) createAll(workers, n int, object func(i int) Object) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				o := object(i)
				c.create(o.Path, o.Body)
			}
		}()
	}
	group.Wait()
}

// watch calls handle for each event line, with the time at which its last byte arrived.
// It starts with one ADDED event for each object that exists.
func (c *Client) watch(ctx context.Context, path string, ready chan<- struct{}, handle func(at time.Time, line []byte)) error {
	req, err := http.NewRequestWithContext(ctx, "GET", c.base+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", "bench-harness")
	req.Header.Set("Accept", jsonType)
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return fmt.Errorf("watch %s: %s", path, resp.Status)
	}
	close(ready)
	reader := bufio.NewReaderSize(resp.Body, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 1 {
			handle(time.Now(), line)
		}
		if err != nil {
			return err
		}
	}
}
