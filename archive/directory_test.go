package archive_test

import (
	"testing"

	"homeroom/testkit"
)

// renamedAtTheCopy is a school and its restored copy, whose users have the same ids, after
// an administrator's name was changed at the copy and the directory followed that.
func renamedAtTheCopy(t *testing.T) (original, copied *testkit.School, admin *testkit.Client) {
	t.Helper()
	original = testkit.NewSchool(t)
	admin = furnish(t, original)
	if err := original.App.Service.Auth.FollowUser(t.Context(), original.ID, admin.UserID); err != nil {
		t.Fatal(err)
	}
	file, _ := export(t, original)
	copied, _ = restore(t, original.App, file)
	if err := copied.DB(t).Exec(`update app_user set first_name = 'Lakshmi', last_name = 'Copied' where id = ?`, admin.UserID).Error; err != nil {
		t.Fatal(err)
	}
	if err := original.App.Service.Auth.FollowUser(t.Context(), copied.ID, admin.UserID); err != nil {
		t.Fatal(err)
	}
	return original, copied, admin
}

const entriesNamed = `select count(*) from platform.account where school_id = $1 and user_id = $2 and name = 'Lakshmi Copied'`

func TestDirectory_AdministratorRenamedAtACopy_OriginalKeepsTheName(t *testing.T) {
	t.Parallel()
	original, _, admin := renamedAtTheCopy(t)
	if n := count(t, original.App, entriesNamed, original.ID, admin.UserID); n != 0 {
		t.Errorf("%d entries of the original have the copy's name, want 0", n)
	}
}

func TestDirectory_AdministratorRenamedAtACopy_CopyHasTheName(t *testing.T) {
	t.Parallel()
	_, copied, admin := renamedAtTheCopy(t)
	if n := count(t, copied.App, entriesNamed, copied.ID, admin.UserID); n != 1 {
		t.Errorf("%d entries of the copy have its name, want 1", n)
	}
}
