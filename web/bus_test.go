package web_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy/lifecycle"
	"homeroom/testkit"
)

func TestTheOfficeDrawsARouteAndWatchesItsBusDriveInABrowser(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	s, _, stage := office(t, app, lifecycle.NewSchool{})
	driver := s.As(t, api.Driver)
	db := s.DB(t)
	err := db.Exec(`insert into employee (id, user_id, employee_code, first_name, last_name, phone, employee_type)
		values (?, ?, 'D-1', 'Ravi', 'Kumar', '', 'DRIVER')`, api.NewID(), driver.UserID).Error
	if err != nil {
		t.Fatal(err)
	}
	var admin []uuid.UUID
	if err := db.Raw(`select id from app_user where email = ?`, stage["email"]).Scan(&admin).Error; err != nil {
		t.Fatal(err)
	}
	err = notice.SendIn(db, s.School, time.Now().Truncate(time.Millisecond), false,
		notice.Notice{Type: notice.Transport, Key: "absent-but-aboard", RecordID: api.NewID(), UserID: &admin[0],
			Title: "Came by bus, absent in class", Body: "Anu Iyer boarded bus 7 this morning and is marked absent.",
			Teaser: "A child is missing in class"})
	if err != nil {
		t.Fatal(err)
	}
	stage["driverToken"] = driver.Token
	browse(t, app, "bus", stage)
}
