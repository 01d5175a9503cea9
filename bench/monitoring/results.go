package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
)

// Figures are named numbers.
type Figures map[string]float64

// Result has the figures of one side for one part of a work in one run.
type Result struct {
	Work    string  `json:"work"`
	Part    string  `json:"part,omitempty"`
	Side    string  `json:"side"`
	Run     int     `json:"run"`
	Quick   bool    `json:"quick,omitempty"`
	Time    string  `json:"time"`
	Load    string  `json:"load"`
	Figures Figures `json:"figures"`
	// The hash of the configuration at the end: figures count only if both sides wrote the same.
	Written string `json:"written"`
}

// Results are all results, which are also lines of a file.
type Results struct {
	file string
	all  []Result
}

func (r *Results) add(result Result) {
	line, err := json.Marshal(result)
	must(err)
	note("%s", line)
	r.all = append(r.all, result)
	if r.file == "" {
		return
	}
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(err)
	defer f.Close()
	fmt.Fprintln(f, string(line))
}

// read reads the results that are already in the file.
func (r *Results) read() {
	f, err := os.Open(r.file)
	if err != nil {
		return
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		var result Result
		must(json.Unmarshal(scanner.Bytes(), &result))
		r.all = append(r.all, result)
	}
}

func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	return strings.Join(strings.Fields(string(text))[:3], " ")
}

// Spread is the minimum, the median and the maximum of some numbers.
type Spread struct {
	N                int
	Min, Median, Max float64
}

func spread(values []float64) Spread {
	n := len(values)
	if n == 0 {
		return Spread{Min: math.NaN(), Median: math.NaN(), Max: math.NaN()}
	}
	v := append([]float64(nil), values...)
	sort.Float64s(v)
	return Spread{n, v[0], (v[(n-1)/2] + v[n/2]) / 2, v[n-1]}
}

func round(v float64, digits int) float64 {
	p := math.Pow(10, float64(digits))
	return math.Round(v*p) / p
}
