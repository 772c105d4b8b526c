package transport_test

import (
	"testing"

	"homeroom/api"
	"homeroom/modules/transport"
	"homeroom/testkit"
)

const incidentPath = "/school-admin/transport/incident/"

// officeFirst is a depot whose incidents go to the office first, with a trip under way.
func officeFirst(t *testing.T) (*depot, transport.Incident) {
	t.Helper()
	d := newDepot(t, 1)
	testkit.Put[struct{}](t, d.admin, "/school-admin/setting", map[string]any{"incidentsTo": "OFFICE"})
	d.start(t)
	return d, testkit.Post[transport.Incident](t, d.driver, "/driver/incident/report",
		map[string]any{"busId": d.bus.ID, "type": "traffic_jam", "description": "Ring road"})
}

func (d *depot) parentSees(t *testing.T) int {
	t.Helper()
	return testkit.Get[api.Page[transport.Incident]](t, d.children[0].parent, "/bus-tracking/incidents/"+d.bus.ID.String()).Total
}

func TestIncident_WhereTheOfficeIsFirst_WaitsForIt(t *testing.T) {
	t.Parallel()
	d, made := officeFirst(t)
	if made.Release != "WAITING" {
		t.Errorf("reported as %s", made.Release)
	}
	if n := d.told(t, d.children[0].parent, "%held up%"); n != 0 {
		t.Errorf("the parent was told %d times before the office", n)
	}
	if n := d.told(t, d.admin, "%held up%"); n != 1 {
		t.Errorf("the office was told %d times", n)
	}
	if n := d.parentSees(t); n != 0 {
		t.Errorf("the parent sees %d incidents", n)
	}
	if waiting := testkit.Get[api.Page[transport.Incident]](t, d.admin, incidentPath+"list?filters[release]=WAITING"); waiting.Total != 1 {
		t.Errorf("%d incidents wait", waiting.Total)
	}
	for range 2 {
		if got := testkit.Post[transport.Incident](t, d.admin, incidentPath+made.ID.String()+"/release", nil); got.Release != "RELEASED" {
			t.Errorf("released as %s", got.Release)
		}
	}
	if n := d.told(t, d.children[0].parent, "%held up%"); n != 1 {
		t.Errorf("the parent was told %d times", n)
	}
	if n := d.parentSees(t); n != 1 {
		t.Errorf("the parent sees %d incidents", n)
	}
	d.admin.Refuses(t, "POST", incidentPath+made.ID.String()+"/discard", nil, 409, "")
}

func TestIncident_ThatTheOfficeDiscards_IsToldToNobody(t *testing.T) {
	t.Parallel()
	d, made := officeFirst(t)
	if got := testkit.Post[transport.Incident](t, d.admin, incidentPath+made.ID.String()+"/discard", nil); got.Release != "DISCARDED" {
		t.Errorf("discarded as %s", got.Release)
	}
	d.admin.Refuses(t, "POST", incidentPath+made.ID.String()+"/release", nil, 409, "")
	if n := d.told(t, d.children[0].parent, "%held up%"); n != 0 || d.parentSees(t) != 0 {
		t.Errorf("the parent was told %d times", n)
	}
}
