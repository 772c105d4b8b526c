package fee

import (
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/charging"
)

// examples are records for the contract tests.
func examples() []api.Example {
	name := map[string]any{"name": "Mine"}
	head := api.Created("/school-admin/fee/head/create", map[string]any{"name": "Tuition", "code": "TUI", "type": "TUITION"})
	structure := func(m api.Maker) uuid.UUID {
		m.Example("/school-admin/academic-year/:id")
		return m.Create("/school-admin/fee/structure/create", map[string]any{
			"classId": m.Example("/school-admin/class/:id"), "name": "Class 5",
			"heads":       []any{map[string]any{"feeHeadId": head(m), "amount": 1000}},
			"instalments": []any{map[string]any{"name": "Term 1", "dueDate": "2026-07-01", "percent": 100}}})
	}
	receipt := func(m api.Maker) uuid.UUID {
		m.Example("/school-admin/academic-year/:id")
		return m.Create("/school-admin/fee/collection/record", map[string]any{
			"studentId": m.Example("/school-admin/student/:id"), "amount": 1000, "paymentMode": "CASH", "confirmRepeat": true})
	}
	concession := func(m api.Maker) uuid.UUID {
		m.Example("/school-admin/academic-year/:id")
		return m.Create("/school-admin/fee/concession", map[string]any{
			"studentId": m.Example("/school-admin/student/:id"), "mode": "PERCENT", "value": 10, "reason": "Second child"})
	}
	newStudent := func(m api.Maker) uuid.UUID {
		m.Example("/school-admin/academic-year/:id")
		return m.Create("/school-admin/student/create", map[string]any{"firstName": "Nila"})
	}
	refund := func(m api.Maker) uuid.UUID {
		student := newStudent(m)
		m.Create("/school-admin/fee/collection/record", map[string]any{"studentId": student, "amount": 10, "paymentMode": "CASH"})
		return m.Create("/school-admin/fee/refund", map[string]any{"studentId": student, "amount": 10, "paymentMode": "CASH", "reason": "Left"})
	}
	certificate := func(m api.Maker) uuid.UUID {
		student := newStudent(m)
		m.Create("/school-admin/fee/collection/record", map[string]any{"studentId": student, "amount": 10, "paymentMode": "CASH"})
		return m.Create("/school-admin/fee/certificate", map[string]any{"studentId": student, "from": m.Today(), "to": m.Today()})
	}
	writeOff := func(m api.Maker) uuid.UUID {
		student := newStudent(m)
		m.Call("POST", "/school-admin/fee/fine", map[string]any{"studentId": student, "amount": 10, "reason": "Window"}, &struct{}{})
		return m.Create("/school-admin/fee/write-off", map[string]any{"studentId": student, "reason": "Gone"})
	}
	subscription := func(m api.Maker) uuid.UUID {
		lunch := m.Create("/school-admin/fee/head/create", map[string]any{"name": "Lunch", "code": "LUN", "type": "OTHER", "optional": true})
		m.Call("POST", "/school-admin/fee/subscription/create",
			map[string]any{"feeHeadId": lunch, "studentIds": []any{m.Example("/school-admin/student/:id")}}, nil)
		var made struct{ Items []struct{ ID uuid.UUID } }
		m.Call("GET", "/school-admin/fee/subscription/list?filters[feeHeadId]="+lunch.String(), nil, &made)
		return made.Items[0].ID
	}
	opening := func(m api.Maker) uuid.UUID {
		m.Example("/school-admin/academic-year/:id")
		return m.Create("/school-admin/fee/opening-balance/create", map[string]any{
			"studentId": m.Example("/school-admin/student/:id"), "type": "DUE", "amount": 1000, "date": m.Today()})
	}
	student := func(m api.Maker) uuid.UUID { return m.Example("/school-admin/student/:id") }
	return []api.Example{
		{Path: "/school-admin/fee/head/:id", Table: "fee_head", Make: head, Change: name},
		{Path: "/school-admin/fee/structure/:id", Table: "fee_structure", Make: structure, Change: name},
		{Path: "/school-admin/fee/collection/:id", Table: "fee_receipt", Make: receipt, Change: map[string]any{"reason": "Mistake"}},
		{Path: "/school-admin/fee/receipt/:id", Table: "fee_receipt", Make: receipt},
		{Path: "/school-admin/fee/refund/:id", Table: "fee_refund", Make: refund},
		{Path: "/school-admin/fee/certificate/:id", Table: "certificate", Make: certificate},
		{Path: "/parent/fee/certificate/:id", Table: "certificate", Make: certificate},
		{Path: "/parent/fee/refund/:id", Table: "fee_refund", Make: refund},
		{Path: "/school-admin/fee/write-off/:id", Table: "ledger_transaction", Make: writeOff, Change: map[string]any{"reason": "Mistake"}},
		{Path: "/school-admin/fee/concession/:id", Table: "fee_concession", Make: concession, Change: map[string]any{}},
		{Path: "/school-admin/fee/rule/:id", Table: "fee_rule", Change: map[string]any{"percent": 20},
			Make: api.Created("/school-admin/fee/rule/create", map[string]any{"kind": "STAFF", "percent": 50})},
		{Path: "/school-admin/fee/subscription/:id", Table: "fee_subscription", Make: subscription, Change: map[string]any{}},
		charging.OpeningFiles().Example(), charging.ConcessionFiles().Example(),
		{Path: "/school-admin/fee/opening-balance/:id", Table: "ledger_transaction", Make: opening},
		{Path: "/school-admin/fee/transaction/:id", Table: "ledger_transaction", Make: opening,
			Change: map[string]any{"reason": "Mistake"}},
		{Path: "/school-admin/fee/report/:id", Table: "student", Make: student},
		{Path: "/school-admin/fee/family/:id", Table: "student", Make: student},
		{Path: "/parent/fee/report/:id", Table: "student", Make: student},
		{Path: "/parent/fee/receipt/:id", Table: "fee_receipt", Make: receipt},
	}
}
