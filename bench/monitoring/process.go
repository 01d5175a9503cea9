package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// Usage has the counters of a process from /proc.
type Usage struct {
	At    time.Time
	CPU   float64 // seconds, of all threads, also of those that have ended
	RSS   int64   // VmRSS, kB
	HWM   int64   // VmHWM (peak RSS since start or since resetPeak), kB
	RChar int64   // bytes through read(2); recv(2) is not in it
	WChar int64   // bytes through write(2)
}

func readUsage(pid int) (Usage, error) {
	u := Usage{At: time.Now()}
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	nanoseconds, err := processorClock(pid)
	if err != nil {
		return u, err
	}
	u.CPU = float64(nanoseconds) / 1e9
	u.RSS = procField(filepath.Join(dir, "status"), "VmRSS:")
	u.HWM = procField(filepath.Join(dir, "status"), "VmHWM:")
	u.RChar = procField(filepath.Join(dir, "io"), "rchar:")
	u.WChar = procField(filepath.Join(dir, "io"), "wchar:")
	return u, nil
}

// processorClock reads the clock of clock_getcpuclockid(3), which is exact; /proc/PID/stat has steps of ten milliseconds.
func processorClock(pid int) (int64, error) {
	const scheduled = 2
	var value syscall.Timespec
	clock := uintptr(^pid<<3 | scheduled)
	if _, _, code := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(int32(clock)), uintptr(unsafe.Pointer(&value)), 0); code != 0 {
		return 0, code
	}
	return value.Nano(), nil
}

func procField(file, name string) int64 {
	data, _ := os.ReadFile(file)
	for _, line := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n
		}
	}
	return 0
}

// Process is a child process of this program. Only these get signals.
type Process struct {
	Name string
	PID  int
	cmd  *exec.Cmd
	done chan struct{}
	log  *os.File
}

// startProcess runs a shell command line pinned to cores ("" = not pinned). Every step replaces
// the shell by exec, so PID is the program itself.
func startProcess(name, commandLine, cores, logFile string, env []string) (*Process, error) {
	log, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	line := "exec " + commandLine
	if cores != "" {
		line = "exec taskset -c " + cores + " " + commandLine
	}
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), env...)
	// A new session is a new scheduling group (autogroup), so that each program gets a fair share of a busy machine.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{Name: name, PID: cmd.Process.Pid, cmd: cmd, done: make(chan struct{}), log: log}
	go func() { _ = cmd.Wait(); close(p.done) }()
	return p, nil
}

func (p *Process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

func (p *Process) stop() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(20 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	p.log.Close()
}

func (p *Process) usage() Usage {
	u, err := readUsage(p.PID)
	if err != nil {
		fatal("%s has exited: %v (see its log)", p.Name, err)
	}
	return u
}

// resetPeak resets VmHWM to the current RSS.
func (p *Process) resetPeak() {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.PID), []byte("5"), 0)
}

// waitQuiet waits until the process uses less than `share` of one core for `window`, at most for limit.
func (p *Process) waitQuiet(window time.Duration, share float64, limit time.Duration) {
	end := time.Now().Add(limit)
	for time.Now().Before(end) {
		before := p.usage()
		time.Sleep(window)
		if p.usage().CPU-before.CPU <= share*window.Seconds() {
			return
		}
	}
}

// pinSelf pins all threads of this program to cores.
func pinSelf(cores string) {
	_ = exec.Command("taskset", "-a", "-c", "-p", cores, strconv.Itoa(os.Getpid())).Run()
}
