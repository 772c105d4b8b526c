package demo_test

import (
	"bytes"
	"image/png"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/modules/file"
	"homeroom/testkit"
)

// photosAreThere reads the bytes of the staff's photos. At the moment they were made, each is to be safe from being cleared away as an
// upload that nobody finished.
func photosAreThere(t *testing.T, app *testkit.App, made time.Time) {
	t.Helper()
	admin := office(t, app, "admin@green-valley.local")
	staff := testkit.Get[struct {
		Items []struct{ PhotoFileID *uuid.UUID }
	}](t, admin, "/school-admin/employee/list?limit=100").Items
	photos := 0
	for _, e := range staff {
		if e.PhotoFileID == nil {
			continue
		}
		photos++
		a := admin.Call(t, "GET", "/school-admin/file/"+e.PhotoFileID.String(), nil)
		if _, err := png.Decode(bytes.NewReader(a.Body)); a.Status != 200 || err != nil {
			t.Errorf("photo %s: %d, %v", e.PhotoFileID, a.Status, err)
		}
	}
	if photos != 40 {
		t.Errorf("%d of the staff have photos, want 40", photos)
	}
	if made.IsZero() {
		return
	}
	if n := schoolOf(t, app).Count(t, "outbox", "kind = ? and next_at > ?", file.Gone, made); n != photos {
		t.Errorf("%d of the photos are looked at later, want %d: the others' bytes may go before their files are written", n, photos)
	}
}
