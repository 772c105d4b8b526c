package api_test

import (
	"errors"
	"testing"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/testkit"
)

func TestWorkAtASchoolIsOneTransactionThatItsNoticesLeaveWith(t *testing.T) {
	t.Parallel()
	s := testkit.NewSchool(t)
	admin := s.As(t, api.SchoolAdmin)
	kernel := s.App.Service.Kernel
	work := func(name string, fails error) error {
		return kernel.Work(t.Context(), s.ID, "lab", func(c api.Ctx) error {
			if err := c.DB.Exec(addClass, api.NewID(), name).Error; err != nil {
				return err
			}
			notice.Send(c, notice.Notice{Type: notice.Transport, Key: "work", UserID: &admin.UserID, Title: "Work", Body: "Done"})
			return fails
		})
	}
	if err := work("Half", errors.New("halfway")); err == nil || s.Count(t, "class", "true") != 0 || s.Count(t, "notification", "true") != 0 {
		t.Errorf("work that fails leaves nothing: %v", err)
	}
	for _, name := range []string{"One", "Two"} { // the notice has one key
		if err := work(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Count(t, "class", "true"); n != 2 {
		t.Errorf("%d classes", n)
	}
	if n := s.Count(t, "notification", "user_id = ? and title = 'Work'", admin.UserID); n != 1 {
		t.Errorf("told %d times", n)
	}
	if n := s.Count(t, "audit_event", "true"); n != 0 {
		t.Errorf("%d lines in the books of what nobody did", n)
	}
	if err := kernel.Work(t.Context(), api.NewID(), "lab", func(api.Ctx) error { t.Error("it ran"); return nil }); err == nil {
		t.Error("work at no school")
	}
}
