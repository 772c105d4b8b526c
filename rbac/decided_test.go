package rbac

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
)

func TestPolicy_QuestionsCallersMakeUp_AreForgotten(t *testing.T) {
	t.Parallel()
	role := uuid.New()
	p, err := newPolicy(rules{permissions: []permission{{RoleID: role, Module: "fee", CanRead: true}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if i == 150 { // as if so many had been asked
			p.kept.Store(maxDecided)
		}
		if _, err := p.allows(question{role: role, module: fmt.Sprint("m", i), action: api.Read}); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	p.decided.Range(func(any, any) bool { kept++; return true })
	if kept > 100 {
		t.Errorf("%d answers are remembered, want those since it forgot", kept)
	}
	if ok, err := p.allows(question{role: role, module: "fee", action: api.Read}); err != nil || !ok {
		t.Errorf("a right: %v, %v", ok, err)
	}
}
