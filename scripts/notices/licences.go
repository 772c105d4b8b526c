package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// library holds the licence texts, each once.
type library struct {
	texts []text
}

type text struct {
	kind string // SPDX, "NOTICE" or "PATENTS"
	key  string // its words alone
	body string
	used int
}

var (
	licenceFile = regexp.MustCompile(`(?i)^(.*\.js\.)?(un)?(licen[cs]e|copying|notice|patents|copyrightnotice)([-._].*)?$`)
	source      = regexp.MustCompile(`(?i)\.(go|js|ts|py|json|tmpl|sh)$`)

	// copyright is a line that names an owner and a year, which is what differs between licences of one text.
	copyright = regexp.MustCompile(`^\W*(Portions )?(Copyright|\([cC]\)|©).*([0-9]{4}|\([cC]\)|©)`)
	reserved  = regexp.MustCompile(`(?i)^\W*all rights reserved\W*$`)
	unfilled  = regexp.MustCompile(`(?i)^\W*copyright [\[{]yyyy`)
	title     = regexp.MustCompile(`(?i)^\W*(the )?(mit|isc|bsd|(new|modified)? ?bsd 3-clause|bsd 3-clause)? ?licen[cs]e\W*(\(mit\))?\W*$`)
	letters   = regexp.MustCompile(`[^a-z0-9]+`)
)

// known are the licences that may be in a release, by words of their text. The first that fits counts.
var known = []struct{ name, words string }{
	{"Apache-2.0", "apache license version 2 0"},
	{"MPL-2.0", "mozilla public license version 2 0"},
	{"BSL-1.0", "boost software license version 1 0"},
	{"BSD-3-Clause", "neither the name of"},
	{"BSD-3-Clause", "the name of the author may not be used"},
	{"BSD-3-Clause", "the names of the authors may not be used"},
	{"BSD-3-Clause", "may not be used to endorse or promote"},
	{"BSD-2-Clause", "redistribution and use in source and binary forms"},
	{"Bitstream-Vera", "bitstream vera"},
	{"OFL-1.1", "sil open font license"},
	{"MIT", "permission is hereby granted free of charge to any person obtaining a copy"},
	{"0BSD", "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted the " +
		"software is provided as is"},
	{"ISC", "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted"},
	{"ISC", "permission to use copy modify and distribute this software for any purpose with or without fee is hereby granted"},
	{"CC0-1.0", "cc0 1 0 universal"},
	{"Unlicense", "released into the public domain"},
}

// entry is a component's lines of the file: its name, its licences and its copyright lines.
func (l *library) entry(c component) (string, error) {
	var kinds, links, owners []string
	for _, dir := range c.dirs {
		files, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, f := range files {
			if f.IsDir() || !licenceFile.MatchString(f.Name()) || source.MatchString(f.Name()) {
				continue
			}
			raw, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil {
				return "", err
			}
			kind, err := kindOf(dir, f.Name(), string(raw))
			if err != nil {
				return "", err
			}
			body, lines := split(kind, string(raw))
			kinds = append(kinds, kind)
			links = append(links, l.add(kind, body))
			owners = append(owners, lines...)
		}
	}
	if len(kinds) == 0 {
		return l.undocumented(c)
	}
	licences := slices.DeleteFunc(unique(kinds), func(kind string) bool { return kind == "NOTICE" || kind == "PATENTS" })
	return render(c, strings.Join(licences, ", "), unique(links), unique(owners)), nil
}

// undocumented is the entry of an npm package that declares its licence and brings no text of it: the usual text, and its author.
func (l *library) undocumented(c component) (string, error) {
	var p struct{ Author, License string }
	manifest, err := os.ReadFile(filepath.Join(c.dirs[0], "package.json"))
	if err != nil {
		return "", fmt.Errorf("no licence file in %s", c.dirs[0])
	}
	if err := json.Unmarshal(manifest, &p); err != nil {
		return "", err
	}
	best := -1
	for i, t := range l.texts {
		if t.kind == p.License && (best < 0 || t.used > l.texts[best].used) {
			best = i
		}
	}
	if best < 0 {
		return "", fmt.Errorf("no licence file in %s, and no other work has a text of %q", c.dirs[0], p.License)
	}
	return render(c, p.License, []string{link(best)},
		[]string{cmp.Or(p.Author, "(no author named)") + " (as its package.json says; it has no licence file)"}), nil
}

// add keeps a text, unless the same words are there, and returns the link to it.
func (l *library) add(kind, body string) string {
	words := keyOf(body)
	at := slices.IndexFunc(l.texts, func(t text) bool { return t.kind == kind && t.key == words })
	if at < 0 {
		at = len(l.texts)
		l.texts = append(l.texts, text{kind: kind, key: words, body: body})
	}
	l.texts[at].used++
	return link(at)
}

// String is the chapter of the texts.
func (l *library) String() string {
	var all strings.Builder
	all.WriteString("\n## Texts\n")
	for i, t := range l.texts {
		fmt.Fprintf(&all, "\n### Text %d\n\n%s\n\n```\n%s\n```\n", i+1, t.kind, t.body)
	}
	return all.String()
}

func link(at int) string { return fmt.Sprintf("[text %d](#text-%d)", at+1, at+1) }

func render(c component, licence string, links, owners []string) string {
	var entry strings.Builder
	fmt.Fprintf(&entry, "- **%s** %s: %s (%s)\n", c.name, c.version, licence, strings.Join(links, ", "))
	for _, owner := range owners {
		fmt.Fprintf(&entry, "  - %s\n", owner)
	}
	return entry.String()
}

// split takes the copyright lines out of a licence: body is what others may share. A text that has them in several places is about
// several works and stays whole, as a NOTICE does.
func split(kind, raw string) (body string, owners []string) {
	raw = strings.ReplaceAll(strings.ReplaceAll(raw, "\r\n", "\n"), "```", "'''")
	var rest []string
	var first, last int
	lines := strings.Split(raw, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
		switch {
		case copyright.MatchString(line):
			if owners == nil {
				first = i
			}
			last = i
			owners = append(owners, strings.Trim(line, " \t*/#"))
		case reserved.MatchString(line) && len(owners) > 0:
		default:
			rest = append(rest, lines[i])
		}
	}
	if kind == "NOTICE" || last-first > 10 {
		rest, owners = lines, nil
	}
	return strings.Trim(strings.Join(rest, "\n"), "\n"), owners
}

// keyOf is what two prints of one licence have in common: its words without title, layout and punctuation.
func keyOf(body string) string {
	var kept []string
	for line := range strings.Lines(body) {
		if !title.MatchString(line) && !unfilled.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return words(strings.Join(kept, " "))
}

func words(text string) string { return letters.ReplaceAllString(strings.ToLower(text), " ") }

func kindOf(dir, name, raw string) (string, error) {
	for _, kind := range []string{"NOTICE", "PATENTS"} {
		if strings.HasPrefix(strings.ToUpper(name), kind) {
			return kind, nil
		}
	}
	plain := words(raw)
	for _, k := range known {
		if strings.Contains(plain, k.words) {
			return k.name, nil
		}
	}
	return "", errors.New(filepath.Join(dir, name) +
		" is a licence this program does not know: read it, and add it to known in scripts/notices/licences.go")
}

// unique is a list without what it had before, in order.
func unique(list []string) []string {
	var once []string
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}
