package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func TestNotices_ListWhatARelease_Contains(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, entry := range regexp.MustCompile(`(?m)^- \*\*(.+?)\*\* (\S+): (\S+)`).FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, entry[1]+" "+entry[2])
	}
	sections, err := shipped(root)
	if err != nil {
		t.Fatal(err)
	}
	var contained []string
	for _, s := range sections {
		for _, c := range s.works {
			contained = append(contained, c.name+" "+c.version)
		}
	}
	for _, name := range contained {
		if !slices.Contains(listed, name) {
			t.Errorf("%s does not list %s, which a release contains; cure: make notices", file, name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(contained, name) {
			t.Errorf("%s lists %s, which no release contains; cure: make notices", file, name)
		}
	}
	for _, link := range regexp.MustCompile(`\(#(text-\d+)\)`).FindAllStringSubmatch(string(text), -1) {
		if heading := "\n### Text " + strings.TrimPrefix(link[1], "text-") + "\n"; !strings.Contains(string(text), heading) {
			t.Errorf("%s links to %s, which it does not have; cure: make notices", file, link[1])
		}
	}
}

func TestLicences_OfOneText_AreKeptOnce(t *testing.T) {
	t.Parallel()
	const grant = "Permission is hereby granted, free of charge, to any person obtaining a copy"
	var l library
	for _, raw := range []string{"MIT License\n\nCopyright (c) 2014 Ada\n\n" + grant, "The MIT License (MIT)\r\nCopyright 2020 Alan\r\n\r\n" +
		grant + "\r\n"} {
		kind, err := kindOf("", "LICENSE", raw)
		if err != nil || kind != "MIT" {
			t.Fatalf("kind = %q, %v, want MIT", kind, err)
		}
		body, owners := split(kind, raw)
		if len(owners) != 1 || strings.Contains(body, "Copyright") {
			t.Errorf("split(%q) = %q, %q: want one copyright line, and none in the body", raw, body, owners)
		}
		l.add(kind, body)
	}
	if len(l.texts) != 1 || l.texts[0].used != 2 {
		t.Errorf("%d texts, the first used %d times; want 1, used twice", len(l.texts), l.texts[0].used)
	}
}

func TestLicence_Unknown_IsAnError(t *testing.T) {
	t.Parallel()
	if kind, err := kindOf("somewhere", "LICENSE", "You owe me a beer."); err == nil {
		t.Errorf("kind = %q, want an error", kind)
	}
}
