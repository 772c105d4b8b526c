package main

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"homeroom/cmd/service"
)

// What built is told that it is.
const (
	builtVersion  = "v9.8.7"
	builtRevision = "0123456789abcdef0123456789abcdef01234567"
	builtDate     = "2026-11-16T08:00:00Z"
)

func TestVersion_Text_HasEveryFact(t *testing.T) {
	t.Parallel()
	said := mustRun(t, environment(), "", "version")
	for _, line := range []string{
		"homeroom " + builtVersion, "revision: " + builtRevision, "date: " + builtDate, "go: " + runtime.Version(), "platform: " + runtime.GOOS +
			"/" + runtime.GOARCH,
	} {
		if !strings.Contains(said, line+"\n") {
			t.Errorf("no line %q in\n%s", line, said)
		}
	}
	if !strings.Contains(said, "build: whole\n") {
		t.Errorf("not the whole build:\n%s", said)
	}
}

func TestVersion_Flag_SaysTheSame(t *testing.T) {
	t.Parallel()
	verb, flag := mustRun(t, environment(), "", "version"), mustRun(t, environment(), "", "--version")
	if flag != verb {
		t.Errorf("--version says\n%s\nwant\n%s", flag, verb)
	}
}

func TestVersion_JSON_HasEveryFact(t *testing.T) {
	t.Parallel()
	var got map[string]string
	if err := json.Unmarshal([]byte(mustRun(t, environment(), "", "version", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"version": builtVersion, "revision": builtRevision, "date": builtDate, "go": runtime.Version(), "os": runtime.GOOS,
		"arch": runtime.GOARCH,
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if got["build"] != "whole" {
		t.Errorf("build is %q, want whole", got["build"])
	}
}

func TestVersion_Build_IsWholeIfItCanPush(t *testing.T) {
	t.Parallel()
	want := "lean"
	if withCloud(service.Options{}).Push != nil {
		want = "whole"
	}
	if buildKind != want {
		t.Errorf("this build is called %q, want %q", buildKind, want)
	}
}
