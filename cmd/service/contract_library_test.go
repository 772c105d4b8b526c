package service_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/testkit"
)

func madeCopy(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	book := made("/school-admin/library/book/create", map[string]any{"title": "Malgudi Days"})(t, s, admin)
	return made("/school-admin/library/copy/create", map[string]any{"bookId": book, "accessionNumber": "L-1"})(t, s, admin)
}
