package main

import (
	"strings"
	"testing"
)

func TestWaitsIn_TellsTheOneLimitFromOthers(t *testing.T) {
	t.Parallel()
	for code, good := range map[string]bool{
		`time.Sleep(time.Second)`:                                     false,
		`<-time.After(5 * time.Second)`:                               false,
		`<-time.After(wait.Limit)`:                                    true,
		`context.WithTimeout(ctx, time.Minute)`:                       false,
		`context.WithTimeout(ctx, wait.Limit)`:                        true,
		`conn.SetReadDeadline(time.Now().Add(time.Second))`:           false,
		`conn.SetReadDeadline(wait.Deadline())`:                       true,
		`_ = http.Client{Timeout: 30 * time.Second}`:                  false,
		`_ = http.Client{Timeout: wait.Limit}`:                        true,
		`wait.Eventually(t, "it is so", func() bool { return true })`: true,
		`clock.Pass(5 * time.Second)`:                                 true,
	} {
		found, err := waitsIn("x_test.go", "package x\nfunc f() { "+code+" }")
		if err != nil {
			t.Fatal(err)
		}
		if (len(found) == 0) != good {
			t.Errorf("%s: found %q", code, strings.Join(found, "; "))
		}
	}
}
