package testkit

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
)

// Log collects an instance's log, or a process's output.
type Log struct {
	files []string // the log's files, if it is not collected here

	mu sync.Mutex
	b  bytes.Buffer
}

// LogFiles is the log of instances in other processes, in files.
func LogFiles(paths ...string) *Log { return &Log{files: paths} }

// Logger logs into it from a level on.
func (l *Log) Logger(from slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: from}))
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if os.Getenv("HOMEROOM_TEST_LOG") != "" {
		_, _ = os.Stderr.Write(p)
	}
	return l.b.Write(p)
}

// String is everything logged so far.
func (l *Log) String() string { return strings.Join(l.texts(nil), "") }

// texts is what each file has, or what was collected, after so many bytes.
func (l *Log) texts(after []int64) []string {
	skip := func(n int) int64 {
		if n < len(after) {
			return after[n]
		}
		return 0
	}
	var out []string
	for n, path := range l.files {
		text := ""
		if f, err := os.Open(path); err == nil { // else it has not begun
			if _, err := f.Seek(skip(n), io.SeekStart); err == nil {
				b, _ := io.ReadAll(f)
				text = string(b)
			}
			_ = f.Close()
		}
		out = append(out, text)
	}
	if len(l.files) == 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		out = append(out, string(l.b.Bytes()[skip(0):]))
	}
	return out
}

// sizes is how much there is of each text.
func (l *Log) sizes() []int64 {
	if len(l.files) == 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		return []int64{int64(l.b.Len())}
	}
	out := make([]int64, len(l.files))
	for n, path := range l.files {
		if f, err := os.Stat(path); err == nil {
			out[n] = f.Size()
		}
	}
	return out
}

const (
	linesShown = 20
	lineShown  = 1500 // bytes: a panic's stack is long
)

// Errors returns a function that lists the last warnings, errors and messages of the runtime
// which were logged since Errors was called, one a line. Lines about another request than
// requestID are left out; with an empty one all are listed.
func (l *Log) Errors() func(requestID string) string {
	if l == nil {
		return func(string) string { return "" }
	}
	from := l.sizes()
	return func(requestID string) string {
		var found []string
		for _, text := range l.texts(from) {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); isError(line) && !isOfAnother(line, requestID) {
					found = append(found, "    "+line[:min(len(line), lineShown)])
				}
			}
		}
		return strings.Join(found[max(0, len(found)-linesShown):], "\n")
	}
}

func isError(line string) bool {
	if !strings.HasPrefix(line, "{") {
		return line != "" // written by the process itself, not by its logger
	}
	return strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, `"level":"WARN"`)
}

// isOfAnother reports whether a line names a request other than requestID.
func isOfAnother(line, requestID string) bool {
	return requestID != "" && strings.Contains(line, `"requestId":`) && !strings.Contains(line, `"requestId":"`+requestID+`"`)
}
