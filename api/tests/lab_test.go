package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/testkit"
)

// The lab is rows of the kernel's own tests: what no real module does yet, or must
// never do. They are on the instance that all tests of this package share.

func init() {
	testkit.ShareWith(labRows)
}

// labRows adds the lab to an instance.
func labRows(_ *config.Config, o *service.Options) {
	o.ExtraRows = append(o.ExtraRows, api.Rows(
		api.Query("/school-admin/report/admission", "report", "Answers with what it was sent", echo),
		api.Get("/school-admin/report/days", "report", "Answers with what it was asked", days),
		api.Get("/parent/event/days", "event", "The second version of a question", days, api.APIVersion(2)),
		api.Get("/school-admin/report/panic", "report", "Panics", panics),
		api.Post("/school-admin/report/panic", "report", "Writes, then panics", writesAndPanics),
		api.Get("/school-admin/report/sneaky", "report", "A read that writes", sneaks),
		api.Create("/school-admin/event/payment", "event", "Adds a class, once for each key", pays, api.Idempotent),
		api.Remove("/school-admin/event/payment/:id", "event", "Removes a class, once for each key", refunds, api.Idempotent),
		api.PlatformRow("POST", "/super-admin/lab/payment", "Answers once for each key", api.Write, 201, paysPlatform, api.Idempotent),
		api.PlatformFeed("/super-admin/lab/feed", "Counts until nobody listens", ticks, api.MayFail(errNothingToTell)),
		api.Post("/school-admin/event/swap", "event", "Locks two classes in the order given", swaps),
		api.Post("/school-admin/event/race", "event", "Adds a class, and loses as many races as it is told to", loses),
		api.Post("/school-admin/event/later", "event", "Adds a class with the COMMIT", addsLater),
		api.Post("/teacher/event/interrupted", "event", "Is interrupted before it is known what it is about",
			func(api.Ctx, interruption) (api.Nothing, error) { return api.Nothing{}, nil }, api.About(interrupts)),
		api.Open("POST", "/auth/knock", "A sign-in that lets everybody in", api.Write, knock, api.Counted),
		api.List("/school-admin/report/year", "report", "Years, by everything a list can do", yearListing, listYears),
	)...)
}

// admission is a request with every kind of field there is.
type admission struct {
	FirstName string     `json:"firstName" validate:"notblank,max=20"`
	BornOn    api.Date   `json:"bornOn" validate:"required"`
	ClassID   uuid.UUID  `json:"classId" validate:"required"`
	Previous  *uuid.UUID `json:"previousId"`
	Level     int        `json:"level" validate:"min=0,max=100"`
	Weight    float64    `json:"weight" validate:"min=0"`
	Boarder   bool       `json:"boarder"`
	Tags      []string   `json:"tags" validate:"max=3,dive,max=5"`
	Guardians []guardian `json:"guardians" validate:"max=4,dive"`
	Bus       *busStop   `json:"bus"`
	address
}

type address struct {
	City string `json:"city" validate:"max=10"`
	Post post   `json:"post"`
}

type post struct {
	Code string `json:"code" validate:"omitempty,number"`
}

type guardian struct {
	Name  string   `json:"name" validate:"notblank"`
	Phone string   `json:"phone" validate:"required,e164"`
	Since api.Date `json:"since"`
}

type busStop struct {
	Minutes int `json:"minutes" validate:"gt=0"`
}

func echo(_ api.Ctx, r admission) (admission, error) { return r, nil }

// question is asked in the query string, or in a body.
type question struct {
	DivisionID uuid.UUID `json:"divisionId" validate:"required"`
	From       api.Date  `json:"from" validate:"required"`
	Days       int       `json:"days" validate:"omitempty,min=1,max=31"`
	Statuses   []string  `json:"statuses" validate:"omitempty,dive,oneof=PRESENT ABSENT"`
}

func days(_ api.Ctx, r question) (question, error) { return r, nil }

func panics(api.Ctx, api.Nothing) (api.Nothing, error) { panic("the password is sesame") }

const addClass = `insert into class (id, name) values (?, ?)`

func writesAndPanics(c api.Ctx, _ api.Nothing) (api.Nothing, error) {
	if err := c.DB.Exec(addClass, api.NewID(), "Half").Error; err != nil {
		return api.Nothing{}, err
	}
	panic("halfway")
}

func sneaks(c api.Ctx, _ api.Nothing) (api.Nothing, error) {
	return api.Nothing{}, c.DB.Exec(addClass, api.NewID(), "Sneaky").Error
}

// payment adds a class, if the class it names is there.
type payment struct {
	Name  string     `json:"name"`
	Needs *uuid.UUID `json:"needs"`
}

type receipt struct {
	ID     uuid.UUID       `json:"id"`
	Amount json.RawMessage `json:"amount"`
}

func pays(c api.Ctx, r payment) (receipt, error) {
	out := receipt{ID: api.NewID(), Amount: json.RawMessage("1.50")}
	if err := c.DB.Exec(addClass, out.ID, r.Name+" "+out.ID.String()).Error; err != nil {
		return out, err
	}
	if r.Needs != nil {
		var n int64
		if err := c.DB.Table("class").Where("id = ?", *r.Needs).Count(&n).Error; err != nil {
			return out, err
		}
		if n == 0 {
			return out, api.InvalidField("needs", "needs does not exist")
		}
	}
	return out, nil
}

type visitor struct {
	Email string `json:"email" validate:"omitempty,email"`
}

func knock(api.OpenCtx, visitor) (api.Nothing, error) { return api.Nothing{}, nil }

type byID struct {
	ID uuid.UUID `path:"id"`
}

func refunds(c api.Ctx, r byID) error {
	if c.DB.Exec(`delete from class where id = ?`, r.ID).RowsAffected == 0 {
		return api.NotFound("payment")
	}
	return nil
}

func paysPlatform(api.PlatformCtx, payment) (receipt, error) {
	return receipt{ID: api.NewID(), Amount: json.RawMessage("1.50")}, nil
}

// swap locks two classes. Those of one meeting wait for each other between their two locks.
type swap struct {
	First   uuid.UUID `json:"first"`
	Second  uuid.UUID `json:"second"`
	Meeting string    `json:"meeting"`
}

func swaps(c api.Ctx, r swap) (api.Nothing, error) {
	lock := func(id uuid.UUID) error {
		return c.DB.Exec(`update class set level = level + 1 where id = ?`, id).Error
	}
	if err := lock(r.First); err != nil {
		return api.Nothing{}, err
	}
	if err := meet(c, r.Meeting); err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, lock(r.Second)
}

// race is lost a number of times before it is won.
type race struct {
	Name   string `json:"name"`
	Losses int64  `json:"losses"`
	Code   string `json:"code"`
}

var lost sync.Map // name → *atomic.Int64

func loses(c api.Ctx, r race) (api.Nothing, error) {
	if err := c.DB.Exec(addClass, api.NewID(), r.Name).Error; err != nil {
		return api.Nothing{}, err
	}
	n, _ := lost.LoadOrStore(r.Name, &atomic.Int64{})
	if n.(*atomic.Int64).Add(1) > r.Losses {
		return api.Nothing{}, nil
	}
	return api.Nothing{}, c.DB.Exec(`do $$ begin raise exception 'lost' using errcode = '` + r.Code + `'; end $$`).Error
}

// meetings are pairs of requests: the first two that come to one leave it together,
// those who come later pass.
var meetings = struct {
	sync.Mutex
	open map[string]*meeting
}{open: map[string]*meeting{}}

type meeting struct {
	came int
	full chan struct{}
}

func meet(c api.Ctx, name string) error {
	meetings.Lock()
	m := meetings.open[name]
	if m == nil {
		m = &meeting{full: make(chan struct{})}
		meetings.open[name] = m
	}
	if m.came++; m.came == 2 {
		close(m.full)
	}
	meetings.Unlock()
	select {
	case <-m.full:
		return nil
	case <-c.Done():
		return fmt.Errorf("nobody came: %w", errors.Join(c.Err()))
	}
}

// cameTo is how often a meeting was come to: twice, and once more for each retry.
func cameTo(name string) int {
	meetings.Lock()
	defer meetings.Unlock()
	return meetings.open[name].came
}

type year struct {
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	StartDate api.Date  `json:"startDate"`
	Active    bool      `json:"active"`
}

func (year) TableName() string { return "academic_year" }

var yearListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "startDate": "start_date"},
	Default: "-startDate",
	Filters: map[string]api.Filter{
		"search": api.Search("name"), "active": api.ByBool("active"), "id": api.ByID("id"), "name": api.ByText("name"),
		"from": api.ByDate("start_date", ">="), "version": api.ByInt("version"), "word": api.ByEnum("name", "Old", "New"),
	},
}

func listYears(c api.Ctx, l api.ListRequest) (api.Page[year], error) {
	return api.Fetch[year](c.DB.Model(&year{}), l)
}

// fieldsOf are the names in an error's details, in their order.
func fieldsOf(details []api.Detail) string {
	var names []string
	for _, d := range details {
		names = append(names, d.Field)
	}
	return strings.Join(names, " ")
}
