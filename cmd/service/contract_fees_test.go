package service_test

import (
	"testing"

	"github.com/google/uuid"

	"homeroom/testkit"
)

func madeHead(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	return made("/school-admin/fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})(t, s, admin)
}

func madeStructure(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	madeYear(t, s, admin)
	class := made("/school-admin/class/create", map[string]any{"name": "Class 5"})(t, s, admin)
	return made("/school-admin/fee/structure/create", map[string]any{"classId": class, "name": "Class 5",
		"heads":       []any{map[string]any{"feeHeadId": madeHead(t, s, admin), "amount": 1000}},
		"instalments": []any{map[string]any{"name": "Term 1", "dueDate": "2026-07-01", "percent": 100}}})(t, s, admin)
}

func madeReceipt(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	madeYear(t, s, admin)
	return made("/school-admin/fee/collection/record", map[string]any{"studentId": madeStudent(t, s, admin), "amount": 1000, "paymentMode": "CASH"})(t, s, admin)
}

func madeConcession(t *testing.T, s *testkit.School, admin *testkit.Client) uuid.UUID {
	t.Helper()
	madeYear(t, s, admin)
	return made("/school-admin/fee/concession", map[string]any{"studentId": madeStudent(t, s, admin), "mode": "PERCENT", "value": 10, "reason": "Second child"})(t, s, admin)
}
