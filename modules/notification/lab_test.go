package notification_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/notice"
	"homeroom/testkit"
)

// The lab's rows stand for the modules that tell people things.

func init() { testkit.ShareWith(labRows) }

type telling struct {
	Type      string     `json:"type"`
	Key       string     `json:"key"`
	StudentID *uuid.UUID `json:"studentId"`
	UserID    *uuid.UUID `json:"userId"`
	In        int        `json:"in" doc:"seconds"`
	Fails     bool       `json:"fails"`
	Urgent    bool       `json:"urgent"`
	Until     int        `json:"until" doc:"hours"`
	Day       api.Date   `json:"day" doc:"the text names it"`
}

type manyChildren struct {
	StudentIDs []uuid.UUID `json:"studentIds"`
	Round      string      `json:"round" doc:"a part of the keys"`
}

type keys struct {
	Keys []string `json:"keys"`
}

func labRows(_ *config.Config, o *service.Options) {
	o.ExtraRows = append(o.ExtraRows, api.Rows(
		api.Post("/school-admin/report/tell", "report", "Tells somebody something", func(c api.Ctx, r telling) (api.Nothing, error) {
			n := notice.Notice{
				Type: notice.Type(r.Type), Key: r.Key, RecordID: recordID, StudentID: r.StudentID, UserID: r.UserID,
				Title: "Asha", Body: "The whole truth, with 42 marks", Teaser: "Something happened",
			}
			if r.In > 0 {
				n.DueAt = c.Now.Add(time.Duration(r.In) * time.Second)
			}
			n.Urgent = r.Urgent
			if r.Until > 0 {
				until := c.Now.Add(time.Duration(r.Until) * time.Hour)
				n.Until = &until
			}
			if !r.Day.IsZero() {
				n.Body, n.Text = "", notice.Text{Name: "attendance.absent", Values: notice.Values{"child": "Asha", "date": notice.On(r.Day)}}
			}
			notice.Send(c, n)
			if r.Fails {
				return api.Nothing{}, api.Conflict("it fails after all")
			}
			return api.Nothing{}, nil
		}),
		api.Post("/school-admin/report/tell-all", "report", "Tells of several children at once", func(c api.Ctx, r manyChildren) (api.Nothing, error) {
			for _, id := range r.StudentIDs {
				notice.Send(c, notice.Notice{Type: notice.Fee, Key: "fee/" + r.Round + id.String(), RecordID: recordID, StudentID: &id, Title: "Fees charged",
					Body: "For one child", Teaser: "New fees were charged"})
			}
			return api.Nothing{}, nil
		}),
		api.Post("/school-admin/report/tell-absent", "report", "Tells each family of its child", func(c api.Ctx, r manyChildren) (api.Nothing, error) {
			for _, id := range r.StudentIDs {
				notice.Send(c, notice.Notice{Type: notice.Attendance, Key: "absent/" + id.String(), RecordID: id, StudentID: &id, Title: "Absent",
					Body: "Asha is absent today", Teaser: "About your child"})
			}
			return api.Nothing{}, nil
		}),
		api.Post("/school-admin/report/tell-register", "report", "Tells that the first is absent and the others are late", func(c api.Ctx, r manyChildren) (api.Nothing, error) {
			name := "attendance.absent"
			for _, id := range r.StudentIDs {
				notice.Send(c, notice.Notice{Type: notice.Attendance, Key: "register/" + id.String(), RecordID: id, StudentID: &id,
					Text: notice.Text{Name: name, Values: notice.Values{"child": "Asha", "date": notice.On(api.DateOf(c.Now.In(c.School.Location())))}}})
				name = "attendance.late"
			}
			return api.Nothing{}, nil
		}),
		api.Post("/school-admin/report/tell-silently", "report", "Enters what happened before", func(c api.Ctx, r telling) (api.Nothing, error) {
			notice.Send(c, notice.Notice{Type: notice.Type(r.Type), Key: r.Key, RecordID: recordID, StudentID: r.StudentID, Title: "Asha"})
			return api.Nothing{}, nil
		}, api.Silent),
		api.Post("/school-admin/report/withdraw", "report", "Takes notices back", func(c api.Ctx, r keys) (keys, error) {
			withdrawn, err := notice.Withdraw(c.DB, r.Keys...)
			return keys{withdrawn}, err
		}),
	)...)
}

var recordID = uuid.MustParse("01890000-0000-7000-8000-00000000aaaa")

// office is a school with an administrator who tells people things.
type office struct {
	*testkit.School
	admin *testkit.Client
	seat  testkit.Seat
}

func newOffice(t *testing.T, s *testkit.School) office {
	t.Helper()
	return office{s, s.As(t, api.SchoolAdmin), s.Seat(t, "Class 5")}
}

func (o office) tell(t *testing.T, what telling) {
	t.Helper()
	testkit.Post[api.Nothing](t, o.admin, "/school-admin/report/tell",
		map[string]any{"type": what.Type, "key": what.Key, "studentId": what.StudentID, "userId": what.UserID, "in": what.In,
			"urgent": what.Urgent, "until": what.Until, "day": what.Day})
}

func (o office) log(t *testing.T, c *testkit.Client) notification.Delivered {
	t.Helper()
	return testkit.Get[notification.Delivered](t, c, "/parent/notification/delivered-notifications")
}

// provider is a driver that remembers what it was given, and fails as it is told to.
type provider struct {
	mu    sync.Mutex
	sent  []delivery.Message
	calls int
	fail  func(delivery.Message) error
	no    map[string]bool // users who have no device
}

func (p *provider) Send(_ context.Context, m delivery.Message) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	if p.fail != nil {
		if err := p.fail(m); err != nil {
			return "", err
		}
	}
	if p.no[m.To] {
		return notice.NoDevice, nil
	}
	p.sent = append(p.sent, m)
	return "id-" + m.ID.String(), nil
}

// without says who has no device.
func (p *provider) without(users ...uuid.UUID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.no = map[string]bool{}
	for _, u := range users {
		p.no["user_"+u.String()] = true
	}
}

func (p *provider) failing(f func(delivery.Message) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = f
}

// got is what went to a school's people.
func (p *provider) got(school uuid.UUID) []delivery.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []delivery.Message
	for _, m := range p.sent {
		if m.SchoolID == school {
			out = append(out, m)
		}
	}
	return out
}

func (p *provider) called() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls
}

var errAway = errors.New("connection refused")

// clock is a clock a test turns.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) turn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// at turns the clock to an hour of the school's day, as 22:30.
func (c *clock) at(s *testkit.School, hour, minute int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	there := c.now.In(s.Location())
	c.now = time.Date(there.Year(), there.Month(), there.Day()+1, hour, minute, 0, 0, s.Location())
}

// onMonday is at on the next day that is a Monday.
func (c *clock) onMonday(s *testkit.School, hour, minute int) {
	for c.at(s, hour, minute); c.Now().In(s.Location()).Weekday() != time.Monday; {
		c.at(s, hour, minute)
	}
}

var aparts atomic.Int32

// apart is an instance whose schools no other instance serves, with a database, a
// provider and a clock of its own.
func apart(t *testing.T, changes ...testkit.Change) (*testkit.App, *provider, *clock) {
	t.Helper()
	p, k := &provider{}, &clock{now: time.Now()}
	changes = append([]testkit.Change{labRows, func(_ *config.Config, o *service.Options) {
		o.Namespace += "_" + uuid.NewString()[:8] // what an earlier run left in Redis is not ours
		o.Clock = k.Now
		o.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: p, delivery.SMS: p, delivery.Email: p}
	}}, changes...)
	return testkit.StartOn(t, testkit.Stack(t), fmt.Sprintf("%s_tell_%d", testkit.DatabaseName(), aparts.Add(1)), changes...), p, k
}
