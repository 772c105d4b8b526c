package web_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"testing"

	"homeroom/modules/transport"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

// TestAdmission_OneSheet_FewClicks is a school with a class, a bus, an optional fee and no price of SMS.
func TestAdmission_OneSheet_FewClicks(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	school, admin, stage := office(t, app, lifecycle.NewSchool{})
	school.Seat(t, "Class 5")
	bus := testkit.Post[transport.Bus](t, admin, "/school-admin/transport/bus/create", map[string]any{"busNumber": "KA-01-1"})
	testkit.Post[any](t, admin, "/school-admin/transport/route/create", map[string]any{"name": "Hill Road", "busId": bus.ID,
		"direction": "pickup", "stops": []any{map[string]any{"name": "Mill", "lat": 12.9, "lng": 77.6}}})
	testkit.Post[any](t, admin, "/school-admin/fee/head/create",
		map[string]any{"name": "Lunch", "code": "LUN", "type": "OTHER", "optional": true})
	testkit.Put[any](t, admin, "/school-admin/notification/setting", map[string]any{"smsPrice": 0})
	var photo bytes.Buffer
	if err := png.Encode(&photo, image.NewRGBA(image.Rect(0, 0, 60, 80))); err != nil {
		t.Fatal(err)
	}
	stage["photo"] = base64.StdEncoding.EncodeToString(photo.Bytes())
	browse(t, app, "admission", stage)
}
