package service_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/testkit"
)

func madeGuardian(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	path := "/school-admin/student/" + madeStudent(t, s, admin).String()
	made(path+"/guardians", map[string]any{"firstName": "Meera", "phone": testkit.NewPhone(), "relation": "MOTHER"})(t, s, admin)
	return testkit.Get[struct{ Guardians []struct{ ID uuid.UUID } }](t, admin, path).Guardians[0].ID
}
