// Command waits checks that no test depends on how fast the machine is: a test waits for an event, at most as long as
// testkit/wait says, and a time limit of the product passes when the test moves a clock. `make lint` runs it.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// waiting are the calls that wait for the machine's clock or set it a limit, and which of their arguments is the time.
var waiting = map[string]int{
	"time.Sleep": 0, "time.After": 0, "time.AfterFunc": 0, "time.Tick": 0, "time.NewTimer": 0,
	"context.WithTimeout": 1, "context.WithDeadline": 1, "net.DialTimeout": 2,
	"SetDeadline": 0, "SetReadDeadline": 0, "SetWriteDeadline": 0,
}

// allowed is what they may be given: the one limit, and a multiple of it for a browser's whole story.
var allowed = []string{"wait.Limit", "wait.Deadline()", "patience"}

// exceptions are files with waits of their own, and why a slow machine cannot fail them.
var exceptions = map[string]string{
	"api/tests/feed_test.go":                "a feed that says something now and then; nobody counts how often",
	"cmd/service/day_night_test.go":         "a client's pause before it comes back",
	"cmd/service/faults_line_test.go":       "how long a line is cut",
	"cmd/service/faults_load_test.go":       "a client's pause before it comes back",
	"cmd/service/faults_site_test.go":       "how long a fault lasts",
	"cmd/service/listener_linux_test.go":    "a dial that is not answered is the sign; one that is late is taken for it and costs nothing",
	"cmd/service/soak_test.go":              "a measurement, which lasts as long as it is told",
	"cmd/service/stop_test.go":              "less than the minute a body is waited for, and five times what a header is",
	"delivery/providers_test.go":            "a provider that never answers is given up, however late",
	"delivery/smtp_test.go":                 "a mail server that never answers is given up, however late",
	"events/after_test.go":                  "a listener that takes its time; more is as good",
	"fleet/rolling_test.go":                 "a client's pause before it comes back",
	"localstack/main_test.go":               "an answer that a frozen server must not give",
	"localstack/stack_test.go":              "a folder that stays in use is given up, however late",
	"modules/notification/crash_test.go":    "a provider takes a moment; it is killed whenever it is",
	"modules/importing/tests/crash_test.go": "a process is killed whenever it is",
	"realtime/tests/instances_test.go":      "a pause between the positions of a bus",
	"realtime/socketio/clients_test.go":     "who has not gone by then is cut off",
	"realtime/socketio/close_test.go":       "who never goes is not waited for, however late",
	"realtime/socketio/slow_test.go":        "hands a deadline on that it watches",
	"realtime/socketio/upgrade_test.go":     "a deadline that is over",
	"tenancy/torture_test.go":               "calls are given up at random moments",
}

func main() {
	used := map[string]bool{}
	var found []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", ".local", ".git", "bench", "load"}, d.Name()): // the last two measure
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		waits, err := waitsIn(path, nil)
		if len(waits) > 0 && exceptions[path] != "" {
			used[path] = true
			return err
		}
		found = append(found, waits...)
		return err
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "waits:", err)
		os.Exit(1)
	}
	for path := range exceptions {
		if !used[path] {
			found = append(found, path+": waits for nothing any more; take it out of scripts/waits")
		}
	}
	slices.Sort(found)
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// waitsIn returns a line for every wait of a file that is not the one limit.
func waitsIn(file string, text any) ([]string, error) {
	positions := token.NewFileSet()
	tree, err := parser.ParseFile(positions, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	report := func(n ast.Node, what string) {
		found = append(found, fmt.Sprintf("%s: %s: a test waits for an event (testkit/wait), or moves a clock it set",
			positions.Position(n.Pos()), what))
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := source(n.Fun)
			at, is := waiting[name]
			if !is {
				name = name[strings.LastIndexByte(name, '.')+1:]
				at, is = waiting[name]
			}
			if is && at < len(n.Args) && !slices.Contains(allowed, source(n.Args[at])) {
				report(n, name+" of "+source(n.Args[at]))
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && source(n.Type) == "http.Client" && source(kv.Key) == "Timeout" &&
					!slices.Contains(allowed, source(kv.Value)) {
					report(kv, "a client that waits for "+source(kv.Value))
				}
			}
		}
		return true
	})
	return found, nil
}

// source is a short expression as it is written.
func source(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.SelectorExpr:
		return source(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return source(e.Fun) + "()"
	case *ast.BinaryExpr:
		return source(e.X) + " " + e.Op.String() + " " + source(e.Y)
	}
	return "…"
}
