package timetable

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/modules/roster"
	"homeroom/tenancy"
)

// CalendarFeed is a secret address of a timetable. Only its hash is kept.
type CalendarFeed struct {
	TokenHash []byte
	UserID    uuid.UUID
	StudentID *uuid.UUID
}

// FeedAddress is where a calendar program finds the timetable.
type FeedAddress struct {
	URL string `json:"url" doc:"Everybody who has it can read the timetable. Asking again makes a new one and ends this one"`
}

type childFeedRequest struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
}

type ofStudent struct {
	StudentID uuid.UUID `path:"studentId"`
}

func (m *Module) makeTeacherFeed(c api.Ctx, _ api.Nothing) (FeedAddress, error) {
	return m.makeFeed(c, nil)
}

func (m *Module) makeChildFeed(c api.Ctx, r childFeedRequest) (FeedAddress, error) {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return FeedAddress{}, err
	}
	return m.makeFeed(c, &r.StudentID)
}

// makeFeed makes a new address. The one before it ends: who has lost it out of hand
// asks for another.
func (m *Module) makeFeed(c api.Ctx, student *uuid.UUID) (FeedAddress, error) {
	if err := endFeed(c, student); err != nil {
		return FeedAddress{}, err
	}
	token := make([]byte, 48)
	copy(token, c.School.ID[:])
	_, _ = rand.Read(token[16:]) // never fails: the runtime ends the program instead
	feed := CalendarFeed{TokenHash: feedHash(token), UserID: c.User.ID, StudentID: student}
	if err := c.DB.Create(&feed).Error; err != nil {
		return FeedAddress{}, fmt.Errorf("making a calendar's address: %w", err)
	}
	c.Changed("create", "calendar feed", c.User.ID, nil, map[string]any{"studentId": student})
	return FeedAddress{URL: m.PublicURL + "/calendar/" + base64.RawURLEncoding.EncodeToString(token) + ".ics"}, nil
}

func endTeacherFeed(c api.Ctx, _ api.Nothing) error { return endFeed(c, nil) }

func endChildFeed(c api.Ctx, r ofStudent) error {
	if err := roster.MayView(c, r.StudentID); err != nil {
		return err
	}
	return endFeed(c, &r.StudentID)
}

func endFeed(c api.Ctx, student *uuid.UUID) error {
	err := c.DB.Where("user_id = ? and student_id is not distinct from ?", c.User.ID, student).Delete(&CalendarFeed{}).Error
	if err != nil {
		return fmt.Errorf("ending a calendar's address: %w", err)
	}
	return nil
}

func feedHash(token []byte) []byte {
	h := sha256.Sum256(token)
	return h[:]
}

type feedRequest struct {
	Token string `path:"token"`
}

var errNoFeed = api.NotFound("calendar")

// serveFeed answers a calendar program, which has no token but the address itself.
// Every fault is the same 404: an address that is not one says nothing of the others.
func (m *Module) serveFeed(o api.OpenCtx, r feedRequest) (api.File, error) {
	token, err := base64.RawURLEncoding.DecodeString(strings.TrimSuffix(r.Token, ".ics"))
	if err != nil || len(token) != 48 {
		return api.File{}, errNoFeed
	}
	school, db, err := m.Schools.Open(o, uuid.UUID(token[:16]), tenancy.ReadOnly)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return api.File{}, errNoFeed
	}
	if err != nil {
		return api.File{}, err
	}
	var feed CalendarFeed
	err = db.Raw(`select f.token_hash, f.user_id, f.student_id from calendar_feed f join app_user u on u.id = f.user_id
		where f.token_hash = ? and u.status = 'ACTIVE'`, feedHash(token)).Take(&feed).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return api.File{}, errNoFeed
	}
	if err != nil {
		return api.File{}, fmt.Errorf("looking for a calendar: %w", err)
	}
	c := api.Ctx{Context: o, School: school, DB: db, Now: o.Now, User: api.User{ID: feed.UserID, SchoolID: school.ID}}
	body, err := m.calendar(c, feed)
	var refusal *api.Error
	if errors.As(err, &refusal) {
		return api.File{}, errNoFeed // the student is not theirs any more
	}
	return api.File{Name: "timetable.ics", ContentType: "text/calendar; charset=utf-8", Body: body}, err
}
