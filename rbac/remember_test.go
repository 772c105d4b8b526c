package rbac

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
)

// What callers make up must not be remembered: there is no end of it.
func TestPolicy_QuestionsOfMadeUpThings_AreNotRemembered(t *testing.T) {
	t.Parallel()
	role, class5A, user := uuid.New(), uuid.New(), uuid.New()
	subject := uuid.New()
	p, err := newPolicy(rules{
		permissions: []permission{{RoleID: role, Module: "result", CanRead: true}},
		divisions:   []division{{ID: class5A}},
		assignments: []assignment{{UserID: user, DivisionID: &class5A, SubjectID: &subject}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(module string, subject uuid.UUID) bool {
		t.Helper()
		ok, err := p.allows(question{user: user, role: role, module: module, action: api.Read, target: api.Target{DivisionID: class5A, SubjectID: subject}})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	for range 100 {
		if ask(uuid.NewString(), uuid.Nil) || ask("result", uuid.New()) {
			t.Fatal("what is made up is allowed")
		}
	}
	if !ask("result", subject) {
		t.Error("the subject that is taught is refused")
	}
	n := 0
	p.decided.Range(func(any, any) bool { n++; return true })
	if n != 2 {
		t.Errorf("%d answers are remembered", n)
	}
}
