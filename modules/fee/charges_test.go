package fee_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/modules/fee/charging"
	"homeroom/testkit"
)

// ledger is how a module that must not know fees would declare what it needs of them.
type ledger interface {
	Post(c api.Ctx, p struct {
		StudentID uuid.UUID
		Income    string
		Amount    int64
		DueDate   api.Date
		Name      string
		Narration string
		Key       string
	}) (uuid.UUID, error)
}

type bookReturned struct {
	StudentID uuid.UUID `json:"studentId"`
	Amount    int64     `json:"amount"`
	Loan      string    `json:"loan"`
}

type posted struct {
	ID uuid.UUID `json:"id"`
}

// libraryRow posts to the ledger as the library would.
func libraryRow(_ *config.Config, o *service.Options) {
	var charges ledger = charging.Charges{}
	o.ExtraRows = append(o.ExtraRows, api.Post("/school-admin/library/returned", "library", "Return a book late",
		func(c api.Ctx, r bookReturned) (posted, error) {
			id, err := charges.Post(c, charging.Posting{StudentID: r.StudentID, Income: "LIBRARY", Amount: r.Amount, Name: "Library fine",
				Narration: "Returned late", Key: "loan " + r.Loan})
			return posted{id}, err
		}))
}

func TestPosting_OfAnotherModule_IsMadeOnceForItsKey(t *testing.T) {
	t.Parallel()
	o := furnish(t, testkit.Start(t, libraryRow).NewSchool(t))
	asha := o.admit(t, "Asha")
	body := map[string]any{"studentId": asha, "amount": 250, "loan": "1"}
	var all sync.WaitGroup
	ids := make([]uuid.UUID, 10)
	for i := range ids {
		all.Go(func() { ids[i] = testkit.Post[posted](t, o.clerk, "/school-admin/library/returned", body).ID })
	}
	all.Wait()
	for _, id := range ids {
		if id != ids[0] || id == uuid.Nil {
			t.Fatalf("transactions %v", ids)
		}
	}
	if r := o.report(t, asha); r.Balance != 250 || states(r) != "Library fine UNPAID 250; " || r.Entries[0].TransactionID != ids[0] ||
		r.Entries[0].Kind != "FINE" {
		t.Errorf("%+v", r)
	}
	o.clerk.Refuses(t, "POST", "/school-admin/library/returned", map[string]any{"studentId": asha, "amount": 300, "loan": "1"}, 409, "")
	o.clerk.Refuses(t, "POST", "/school-admin/library/returned", map[string]any{"studentId": uuid.New(), "amount": 300, "loan": "2"}, 404,
		"STUDENT_NOT_FOUND")
	o.sound(t)
}
