package service_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/archive"
	schools "homeroom/modules/school"
	"homeroom/tenancy"
	"homeroom/testkit"
)

// takesHome exports the school as the day has left it, downloads it in two pieces, and
// makes another school of it, which is the same.
func (d *day) takesHome(t *testing.T) {
	path := "/super-admin/school/" + d.school.String() + "/export"
	d.office.Refuses(t, "GET", path, nil, 403, "PERMISSION_DENIED")
	d.super.Refuses(t, "GET", "/super-admin/school/"+api.NewID().String()+"/export", nil, 404, "SCHOOL_NOT_FOUND")
	// Asking for it has it made; a quick machine may have it ready with the answer.
	if first := d.super.Call(t, "GET", path, nil); first.Status != 200 && (first.Status != 202 || first.Header.Get("Retry-After") == "") {
		t.Fatalf("asked for: %d %s", first.Status, first.Body)
	}
	made := testkit.Post[schools.Export](t, d.super, path, nil)
	if made.SchoolID != d.school {
		t.Fatalf("asked for: %+v", made)
	}
	if again := testkit.Post[schools.Export](t, d.super, path, nil); again.ID != made.ID && again.State != "QUEUED" {
		t.Errorf("two are made at a time: %+v and %+v", made, again)
	}
	var whole testkit.Answer
	testkit.Eventually(t, "the archive is there", func() bool {
		whole = d.super.Call(t, "GET", path, nil)
		return whole.Status == 200
	})
	tag := whole.Header.Get("ETag")
	half := len(whole.Body) / 2
	a := d.super.With("Range", "bytes=0-"+fmt.Sprint(half-1)).Call(t, "GET", path, nil)
	b := d.super.With("Range", "bytes="+fmt.Sprint(half)+"-").With("If-Range", tag).Call(t, "GET", path, nil)
	file := append(bytes.Clone(a.Body), b.Body...)
	if a.Status != 206 || b.Status != 206 || !bytes.Equal(file, whole.Body) || whole.Header.Get("Content-Type") != "application/gzip" {
		t.Fatalf("in two pieces: %d and %d, %d of %d bytes", a.Status, b.Status, len(file), len(whole.Body))
	}
	if c := d.super.With("If-None-Match", tag).Call(t, "GET", path, nil); c.Status != 304 {
		t.Errorf("a copy that is still good: %d", c.Status)
	}
	var books int
	err := d.app.Service.Cluster.PlatformPool().QueryRow(t.Context(),
		`select count(*) from platform.audit_event where actor_id = $1 and (entity = 'school export' or action = 'export')`,
		d.super.UserID).Scan(&books)
	if err != nil || books < 4 {
		t.Errorf("%d lines in the books, %v", books, err)
	}
	d.restores(t, file)
}

func (d *day) restores(t *testing.T, file []byte) {
	_, written, err := archive.Verify(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	empty := 0
	for _, table := range written.Tables {
		if table.Rows == 0 {
			empty++
		}
	}
	if len(written.Tables) < 70 || empty > len(written.Tables)/2 {
		t.Errorf("of %d tables %d are empty", len(written.Tables), empty)
	}
	back, err := d.app.Service.Import(t.Context(),
		archive.Import{ID: api.NewID(), Code: "back-" + uuid.NewString()[:8], Status: tenancy.Active}, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	again, err := d.app.Service.Export(t.Context(), back.School.ID, &out, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, table := range written.Tables {
		if !table.Equal(again.Tables[i]) && table.Name != "outbox" && table.Name != "delivery" {
			t.Errorf("table %s: %+v became %+v", table.Name, table, again.Tables[i])
		}
	}
	if back.People.Accounts < 200 {
		t.Errorf("%d people can sign in", back.People.Accounts)
	}
	// The ledger balances there too.
	restored := &testkit.School{School: back.School, App: d.app}
	var off int64
	if err := restored.DB(t).Raw(`select coalesce(sum(case entry_type when 'DR' then amount else -amount end), 0)
		from ledger_entry`).Scan(&off).Error; err != nil || off != 0 {
		t.Errorf("the ledger is off by %d, %v", off, err)
	}
}
