package main

import (
	"encoding/json"
	"net"
	"net/http"
	_ "net/http/pprof" // profiles of a child
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// serveControl answers, in a child, what it has used.
func serveControl() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	answer := func(w http.ResponseWriter) { _ = json.NewEncoder(w).Encode(ownUsage()) }
	http.HandleFunc("/usage", func(w http.ResponseWriter, _ *http.Request) { answer(w) })
	http.HandleFunc("/collected", func(w http.ResponseWriter, _ *http.Request) {
		runtime.GC() // finalizers of the first round free more in the second
		debug.FreeOSMemory()
		answer(w)
	})
	go func() { _ = http.Serve(listener, nil) }()
	return "http://" + listener.Addr().String(), nil
}

func ownUsage() usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{CPU: ownCPU(), RSS: ownRSS(), Heap: int64(m.HeapAlloc)}
}

// ownCPU is the time this process has had a processor.
func ownCPU() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// ownRSS is what Linux says, or elsewhere the most there ever was.
func ownRSS() int64 {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			return pages * int64(os.Getpagesize())
		}
	}
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	most := int64(r.Maxrss)
	if runtime.GOOS != "darwin" {
		most *= 1024
	}
	return most
}
