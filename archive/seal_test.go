package archive_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/archive"
	"homeroom/cmd/service"
	"homeroom/testkit"
)

// keptIn reads the bytes of a school's file through its own endpoint.
func keptIn(t *testing.T, office *testkit.Client, id uuid.UUID) string {
	t.Helper()
	a := office.Call(t, "GET", "/school-admin/file/"+id.String(), nil)
	if a.Status != 200 {
		t.Fatalf("file %s: %d %s", id, a.Status, a.Body)
	}
	return string(a.Body)
}

// withFile is a school with one file, and who may read it.
func withFile(t *testing.T, text string) (s *testkit.School, office *testkit.Client, id uuid.UUID) {
	t.Helper()
	s = testkit.NewSchool(t)
	office = s.As(t, api.SchoolAdmin)
	var made struct{ ID uuid.UUID }
	upload(t, office, []byte("%PDF-1.4 "+text)).Read(t, &made)
	return s, office, made.ID
}

// unchanged leaves an entry as it is.
func unchanged(_ string, content []byte) []byte { return content }

func rewritten(t *testing.T, file, key []byte, change func(string, []byte) []byte) []byte {
	t.Helper()
	out := rewrite(t, file, key, change)
	if _, _, err := archive.Verify(bytes.NewReader(out)); err != nil && !strings.Contains(err.Error(), "another place") {
		t.Fatalf("the rewritten archive is not whole: %v", err)
	}
	return out
}

func TestArchive_WithoutItsSeal_IsRefusedUnlessTheOperatorSaysSo(t *testing.T) {
	t.Parallel()
	s, _, _ := withFile(t, "ours")
	file, _ := export(t, s)
	other := service.ArchiveSeal("", "the secret of another installation").Keys[0]
	for what, c := range map[string]struct {
		key  []byte
		want error
	}{"no seal": {nil, archive.ErrUnsigned}, "another key's": {other, archive.ErrSeal}} {
		changed := rewritten(t, file, c.key, unchanged)
		i := newSchool()
		if _, err := s.App.Service.Import(t.Context(), i, bytes.NewReader(changed)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
		if n := count(t, s.App, `select count(*) from platform.school where id = $1`, i.ID); n != 0 {
			t.Errorf("%s: there is a school of it", what)
		}
		i.Seal.Unsigned = true
		if _, err := s.App.Service.Import(t.Context(), i, bytes.NewReader(changed)); err != nil {
			t.Errorf("%s, and the operator is sure: %v", what, err)
		}
	}
	if _, _, err := s.App.Service.Seal().Verify(bytes.NewReader(file)); err != nil {
		t.Errorf("as it was written: %v", err)
	}
}

func TestArchive_NamingAnotherSchoolsFile_IsRefusedAndTheFileStays(t *testing.T) {
	t.Parallel()
	v, office, victim := withFile(t, "the victim's")
	x, _, own := withFile(t, "OVERWRITTEN")
	file, _ := export(t, x)
	changed := rewritten(t, file, nil, func(name string, content []byte) []byte {
		if strings.HasPrefix(name, "tables/file.") {
			return bytes.ReplaceAll(content, []byte(ownID+"/"+own.String()), []byte(v.ID.String()+"/"+victim.String()))
		}
		return content
	})
	for _, unsigned := range []bool{false, true} {
		i := newSchool()
		i.Seal.Unsigned = unsigned
		_, err := x.App.Service.Import(t.Context(), i, bytes.NewReader(changed))
		if err == nil || (unsigned && !strings.Contains(err.Error(), "another place")) {
			t.Errorf("unsigned %v: %v", unsigned, err)
		}
		if n := count(t, x.App, `select count(*) from platform.school where id = $1`, i.ID); n != 0 {
			t.Errorf("unsigned %v: there is a school of it", unsigned)
		}
	}
	if got := keptIn(t, office, victim); !strings.Contains(got, "the victim's") {
		t.Errorf("the victim's file reads %q", got)
	}
}

func TestFile_RowNamesAnotherSchoolsKey_ServesAndDeletesItsOwn(t *testing.T) {
	t.Parallel()
	v, office, victim := withFile(t, "the victim's")
	x, thief, own := withFile(t, "the thief's")
	key := v.ID.String() + "/" + victim.String()
	if err := x.DB(t).Exec(`update file set storage_key = ?, thumbnail_key = ? where id = ?`, key, key, own).Error; err != nil {
		t.Fatal(err)
	}
	if got := keptIn(t, thief, own); !strings.Contains(got, "the thief's") {
		t.Errorf("the thief reads %q", got)
	}
	if a := thief.Call(t, "GET", "/school-admin/file/"+own.String()+"?thumbnail=true", nil); a.Status != 404 {
		t.Errorf("the small picture: %d %s", a.Status, a.Body)
	}
	// An archive of it has the thief's own bytes or is not made at all.
	if _, err := x.App.Service.Export(t.Context(), x.ID, io.Discard, nil); err == nil {
		t.Error("it was exported")
	}
	if a := thief.Call(t, "DELETE", "/school-admin/file/"+own.String(), nil); a.Status != 204 {
		t.Fatalf("delete: %d %s", a.Status, a.Body)
	}
	// A fact as earlier versions wrote it names the key itself.
	err := x.DB(t).Exec(`insert into outbox (id, kind, payload, occurred_at, next_at)
		values (?, 'file.gone', jsonb_build_object('keys', jsonb_build_array(?::text)), now(), now())`, api.NewID(), key).Error
	if err != nil {
		t.Fatal(err)
	}
	x.App.Service.Relay.Wake(x.ID)
	testkit.Eventually(t, "the facts are heard", func() bool { return x.Count(t, "outbox", "kind = 'file.gone' and next_at <= now()") == 0 })
	if got := keptIn(t, office, victim); !strings.Contains(got, "the victim's") {
		t.Errorf("the victim's file reads %q", got)
	}
}
