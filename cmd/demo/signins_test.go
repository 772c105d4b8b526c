package demo_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"homeroom/cmd/demo"
	"homeroom/testkit"
)

// signInsWork signs in as everybody whom the README names.
func signInsWork(t *testing.T, app *testkit.App) {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "### Demo sign-ins")
	table, _, _ = strings.Cut(table, "```sh")
	if !strings.Contains(table, "PIN `"+demo.PIN+"`") {
		t.Errorf("the README does not name the PIN %s", demo.PIN)
	}
	phones := regexp.MustCompile("`(\\+\\d{9,15})`").FindAllStringSubmatch(table, -1)
	emails := regexp.MustCompile("`([a-z]+@[a-z.-]+)`").FindAllStringSubmatch(table, -1)
	for _, phone := range phones {
		byPIN(t, app, phone[1])
	}
	for _, email := range emails {
		office(t, app, email[1])
	}
	if len(phones) < 6 || len(emails) < 4 {
		t.Errorf("the README names %d phones and %d addresses, want 6 and 4", len(phones), len(emails))
	}
}
