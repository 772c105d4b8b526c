package service_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"homeroom/api"
	"homeroom/testkit"
)

// ending makes the calls that end sessions and schools, each by somebody who has just
// signed in, the school's own end last.
func (f *fuzz) ending(t *testing.T, school *testkit.School, random *rand.Rand) {
	t.Helper()
	for _, op := range f.endings {
		for range 3 {
			role := op.anyRole(random)
			client := school.App.SuperAdmin(t)
			if role != api.SuperAdmin {
				client = school.As(t, role)
			}
			f.ask(op, client, role, random)
		}
	}
}

// reached says what the calls came to: every row must have been called, and every role
// have succeeded at something. With in full, also which rows never succeeded.
func (f *fuzz) reached(t *testing.T, inFull bool) {
	t.Helper()
	var never []string
	classes := map[int]int{}
	ops := slices.Concat(f.operations, f.endings)
	for _, op := range ops {
		of := f.cover[op]
		if len(of) == 0 {
			t.Errorf("%s %s was never called", op.method, op.path)
		}
		seen := map[int]bool{}
		for status := range of {
			seen[status/100] = true
		}
		for class := range seen {
			classes[class]++
		}
		if !seen[2] {
			never = append(never, fmt.Sprintf("%s %s %v", op.method, op.path, of))
		}
	}
	for _, role := range everyRole {
		if f.roles[role] == 0 {
			t.Errorf("%s never succeeded", role)
		}
	}
	t.Logf("of %d rows %d succeeded at least once and %d refused; successes by role: %v", len(ops), classes[2], classes[4], f.roles)
	if classes[2] < len(ops)/4 {
		t.Errorf("only %d of %d rows ever succeeded: too few of the calls are whole", classes[2], len(ops))
	}
	if inFull && len(never) > 0 {
		t.Logf("these never succeeded:\n%s", strings.Join(never, "\n"))
	}
}
