//go:build lean

package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/cmd/demo"
	"homeroom/testkit"
)

func TestTheDemoBusCanBeDrivenAgainAndAgain(t *testing.T) {
	t.Parallel()
	app := testkit.StartOn(t, testkit.Stack(t), testkit.DatabaseName()+"_demo")
	made, err := demo.Open(t.Context(), app.Service)
	if err == nil {
		made.Days = 1 // what was before is of no concern to a bus
		err = made.Fill(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	app.ClearAttempts(t, demo.DriverPhone())
	for _, incident := range []bool{true, false} {
		var mu sync.Mutex
		var said strings.Builder
		d := demoDrive{url: app.URL, speed: demoFastest, incident: incident, tick: time.Second, say: func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(&said, format+"\n", args...)
		}}
		if err := d.run(t.Context()); err != nil {
			t.Fatalf("%v\n%s", err, said.String())
		}
		if text := said.String(); !strings.Contains(text, "Lake View") || !strings.Contains(text, "has ended") ||
			strings.Contains(text, "traffic jam") != incident {
			t.Errorf("it says %s", text)
		}
	}
}
