package demo

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"sync"
)

//go:embed start.html
var startText string

var startTemplate = template.Must(template.New("start").Parse(startText))

// StartPage is what a newcomer sees first: who can sign in, and what to try.
type StartPage struct {
	mu   sync.Mutex
	page []byte
}

// startRow is a sign-in with where it is for and what it is good for.
type startRow struct {
	Account
	App bool
	Try string
}

// tries say what each role is good for.
var tries = map[string]string{
	"Super-admin":  "Onboard a school, watch it become ready, look at all schools.",
	"School admin": "Everything of one school: people, registers, exams, fees, buses, settings.",
	"Accountant":   "Collect a fee, print a receipt, see who owes what. Nothing else is shown.",
	"Parent":       "Two children: registers, results, fees, messages, and the bus on a map.",
	"Teacher":      "Mark the register of their class, which is open today; enter marks, write to parents.",
	"Driver":       "Start today's trip, board the children, end it.",
}

// Show says who can sign in.
func (s *StartPage) Show(accounts []Account) {
	type school struct {
		Name string
		Rows []startRow
	}
	var all []school
	for _, a := range accounts {
		at := slices.IndexFunc(all, func(s school) bool { return s.Name == a.School })
		if at < 0 {
			all, at = append(all, school{Name: a.School}), len(all)
		}
		all[at].Rows = append(all[at].Rows, startRow{a, a.Phone != "", tries[a.Role]})
	}
	by := map[string]Account{}
	for _, a := range accounts {
		if _, known := by[a.Role]; !known {
			by[a.Role] = a
		}
	}
	var out bytes.Buffer
	err := startTemplate.Execute(&out, map[string]any{"Schools": all, "Demo": len(accounts) > 1, "By": by})
	if err != nil {
		out.Reset()
		out.WriteString(err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.page = out.Bytes()
}

// ServeHTTP answers with the page. It has no scripts, and loads nothing.
func (s *StartPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(bytes.ReplaceAll(s.page, []byte("http://127.0.0.1:3001"), []byte("http://"+template.HTMLEscapeString(r.Host))))
}
