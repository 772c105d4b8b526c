package delivery_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/delivery/fcm"
	"homeroom/notice"
	"homeroom/testkit"
)

// google is Firebase as phones know it: who is subscribed to what, and what each heard.
type google struct {
	url    string
	driver atomic.Pointer[fcm.Driver]

	mu         sync.Mutex
	subscribed map[string]map[string]bool // by topic: the phones
	heard      map[string][]push          // by phone
	sent       []push
	refusing   int // the status topic management answers with; 0: it works
}

// push is one message, as a phone gets it.
type push struct {
	Token, Topic string
	Notification struct{ Title, Body string }
	Data         map[string]string
	Android      struct{ Notification struct{ Tag string } }
	APNS         struct {
		Headers map[string]string
		Payload struct{ APS struct{ Badge *int } }
	}
}

func startGoogle(t *testing.T) *google {
	t.Helper()
	g := &google{subscribed: map[string]map[string]bool{}, heard: map[string][]push{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/iid/v1:batchRemove" {
			g.remove(w, r)
			return
		}
		var asked struct{ Message push }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		g.take(asked.Message)
		_, _ = io.WriteString(w, `{"name":"projects/p/messages/1"}`)
	}))
	t.Cleanup(s.Close)
	g.url = s.URL
	return g
}

func (g *google) take(p push) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sent = append(g.sent, p)
	for phone := range g.subscribed[p.Topic] {
		g.heard[phone] = append(g.heard[phone], p)
	}
	if p.Token != "" {
		g.heard[p.Token] = append(g.heard[p.Token], p)
	}
}

func (g *google) remove(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refusing != 0 {
		w.WriteHeader(g.refusing)
		return
	}
	var asked struct {
		To     string   `json:"to"`
		Tokens []string `json:"registration_tokens"`
	}
	_ = json.NewDecoder(r.Body).Decode(&asked)
	if r.Header.Get("access_token_auth") != "true" || len(asked.Tokens) != 1 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	delete(g.subscribed[strings.TrimPrefix(asked.To, "/topics/")], asked.Tokens[0])
	_, _ = io.WriteString(w, `{"results":[{}]}`)
}

func (g *google) refuse(status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refusing = status
}

func (g *google) subscribe(phone string, topics ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, topic := range topics {
		if g.subscribed[topic] == nil {
			g.subscribed[topic] = map[string]bool{}
		}
		g.subscribed[topic][phone] = true
	}
}

// topics are what a phone is subscribed to.
func (g *google) topics(phone string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []string
	for topic, phones := range g.subscribed {
		if phones[phone] {
			out = append(out, topic)
		}
	}
	slices.Sort(out)
	return out
}

func (g *google) to(phone string) []push {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.heard[phone])
}

// Send and Unsubscribe speak to it through the driver, once the service is there.
func (g *google) Send(ctx context.Context, m delivery.Message) (string, error) {
	return g.driver.Load().Send(ctx, m)
}

func (g *google) Unsubscribe(ctx context.Context, token string, topics []string) error {
	if d := g.driver.Load(); d != nil {
		return d.Unsubscribe(ctx, token, topics)
	}
	return delivery.Unavailable(0, "not there yet")
}

var pushLabs atomic.Int32

// boarded is a row that tells a child's guardians that the child boarded a bus.
func boarded(_ *config.Config, o *service.Options) {
	type childOn struct {
		StudentID uuid.UUID `json:"studentId"`
		Trip      uuid.UUID `json:"trip"`
	}
	o.ExtraRows = append(o.ExtraRows,
		api.Rows(api.Post("/school-admin/report/boarded", "report", "Tells that a child boarded",
			func(c api.Ctx, r childOn) (api.Nothing, error) {
				notice.Send(c, notice.Notice{Type: notice.Transport, Key: "boarded/" + r.Trip.String(), RecordID: r.Trip, StudentID: &r.StudentID,
					Text: notice.Text{Name: "transport.boarded", Values: notice.Values{"child": "Asha Rao", "time": "08:03"}}})
				return api.Nothing{}, nil
			}))...)
}

// phones is a school whose pushes go to a Firebase of its own.
type phones struct {
	*testkit.School
	google *google
	office *testkit.Client
	seat   testkit.Seat
}

// atPhones starts an instance that is alone with its database.
func atPhones(t *testing.T, changes ...testkit.Change) phones {
	t.Helper()
	g := startGoogle(t)
	changes = append([]testkit.Change{boarded, func(_ *config.Config, o *service.Options) {
		o.Namespace += "_" + uuid.NewString()[:8]
		o.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: g}
	}}, changes...)
	app := testkit.StartOn(t, testkit.Stack(t), fmt.Sprintf("%s_push_%d", testkit.DatabaseName(), pushLabs.Add(1)), changes...)
	g.connect(t, app)
	return phonesAt(t, app, g)
}

func phonesAt(t *testing.T, app *testkit.App, g *google) phones {
	t.Helper()
	s := app.NewSchool(t)
	return phones{s, g, s.As(t, api.SchoolAdmin), s.Seat(t, "Class 5")}
}

func (g *google) connect(t *testing.T, app *testkit.App) {
	t.Helper()
	d, err := fcm.New(t.Context(), fcm.Options{Project: "p", Endpoint: g.url, Devices: app.Service.Devices})
	if err != nil {
		t.Fatal(err)
	}
	g.driver.Store(d)
}

// studentTopics are all topics of a student.
func studentTopics(student uuid.UUID) []string {
	bare := "student_" + student.String()
	return []string{bare, bare + "_attendance", bare + "_fee", bare + "_result"}
}

// signIn does what the app does: it registers the phone and subscribes to its topics.
func (p phones) signIn(t *testing.T, parent *testkit.Client, children ...uuid.UUID) (phone string) {
	t.Helper()
	phone = "phone-" + uuid.NewString()
	testkit.Post[api.Nothing](t, parent, "/parent/notification/token", map[string]any{"fcmToken": phone})
	p.google.subscribe(phone, "school_"+p.ID.String())
	for _, child := range children {
		p.google.subscribe(phone, studentTopics(child)...)
	}
	return phone
}

func (p phones) board(t *testing.T, child uuid.UUID) (trip uuid.UUID) {
	t.Helper()
	trip = uuid.New()
	testkit.Post[api.Nothing](t, p.office, "/school-admin/report/boarded", map[string]any{"studentId": child, "trip": trip})
	return trip
}

func (p phones) heardOf(phone string, trip uuid.UUID) (n int) {
	for _, h := range p.google.to(phone) {
		if h.Data["id"] == trip.String() {
			n++
		}
	}
	return n
}

func guardianOf(parent *testkit.Client) string {
	return uuid.NewSHA1(parent.UserID, []byte("guardian")).String()
}

func TestTopicOfAChild_Push_SaysNeitherNameNorEvent(t *testing.T) {
	t.Parallel()
	p := atPhones(t)
	asha := p.Child(t, p.seat, 1)
	phone := p.signIn(t, asha.Parents[0], asha.ID)
	trip := p.board(t, asha.ID)
	testkit.Eventually(t, "device and topic are told", func() bool { return p.heardOf(phone, trip) == 2 })
	shown := map[string]bool{}
	for _, h := range p.google.to(phone) {
		shown[h.Android.Notification.Tag], shown[h.APNS.Headers["apns-collapse-id"]], shown[h.Data["deliveryId"]] = true, true, true
		text := h.Notification.Title + " " + h.Notification.Body
		if strings.Contains(text, "Asha") {
			t.Errorf("a locked screen shows %q", text)
		}
		if h.Data["type"] != "TRANSPORT" || h.Data["studentId"] != asha.ID.String() {
			t.Errorf("the data is %v", h.Data)
		}
		if h.Topic == "" {
			if h.Notification.Title != "On the bus" || h.APNS.Payload.APS.Badge == nil {
				t.Errorf("the device got %+v", h)
			}
			continue
		}
		if h.Topic != "student_"+asha.ID.String() {
			t.Errorf("it went to %s", h.Topic)
		}
		if strings.Contains(strings.ToLower(text), "bus") || h.Notification.Title != p.Name || h.APNS.Payload.APS.Badge != nil {
			t.Errorf("the topic got %+v", h)
		}
	}
	if len(shown) != 1 {
		t.Errorf("a phone shows it as %v", slices.Collect(maps.Keys(shown)))
	}
}

// What takes a guardian's sight of one child away, while another child stays.
func TestGuardian_LosesSightOfAChild_PhoneHearsNothingMore(t *testing.T) {
	t.Parallel()
	first := atPhones(t)
	for what, lose := range map[string]func(t *testing.T, p phones, parent *testkit.Client, child uuid.UUID){
		"unlinked": func(t *testing.T, p phones, parent *testkit.Client, child uuid.UUID) {
			t.Helper()
			p.office.Call(t, "DELETE", "/school-admin/student/"+child.String()+"/guardians/"+guardianOf(parent), nil)
		},
		"canViewData is taken away": func(t *testing.T, p phones, parent *testkit.Client, child uuid.UUID) {
			t.Helper()
			testkit.Put[map[string]any](t, p.office, "/school-admin/student/"+child.String()+"/guardians/"+guardianOf(parent),
				map[string]any{"canViewData": false})
		},
		"nobody told of it": func(t *testing.T, p phones, parent *testkit.Client, child uuid.UUID) {
			t.Helper()
			if err := p.DB(t).Exec(`delete from student_guardian where student_id = ? and guardian_id = ?`, child, guardianOf(parent)).Error; err != nil {
				t.Fatal(err)
			}
			p.RunScheduled(t, "compare-topics")
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := phonesAt(t, first.App, first.google)
			asha, ravi := p.Child(t, p.seat, 2), p.Child(t, p.seat, 0)
			gone, other := asha.Parents[0], asha.Parents[1]
			p.Link(t, gone, ravi.ID)
			lost, kept := p.signIn(t, gone, asha.ID, ravi.ID), p.signIn(t, other, asha.ID)
			lose(t, p, gone, asha.ID)
			want := append([]string{"school_" + p.ID.String()}, studentTopics(ravi.ID)...)
			testkit.Eventually(t, "the phone is out of the child's topics and no other",
				func() bool { return slices.Equal(p.google.topics(lost), want) })
			trip := p.board(t, asha.ID)
			testkit.Eventually(t, "the other parent hears", func() bool { return p.heardOf(kept, trip) == 2 })
			if n := p.heardOf(lost, trip); n != 0 {
				t.Errorf("the phone heard of it %d times", n)
			}
			if n := p.Count(t, "delivery", "user_id = ?", gone.UserID); n != 0 {
				t.Errorf("%d messages were made", n)
			}
			trip = p.board(t, ravi.ID)
			testkit.Eventually(t, "of the other child it hears", func() bool { return p.heardOf(lost, trip) == 2 })
		})
	}
}

func TestSession_Ends_PhoneLeavesAllTopics(t *testing.T) {
	t.Parallel()
	first := atPhones(t)
	for what, end := range map[string]func(t *testing.T, p phones, parent *testkit.Client, child uuid.UUID){
		"signed out": func(t *testing.T, _ phones, parent *testkit.Client, _ uuid.UUID) {
			t.Helper()
			parent.Call(t, "POST", "/auth/logout", map[string]any{})
		},
		"the last child is taken away": func(t *testing.T, p phones, parent *testkit.Client, child uuid.UUID) {
			t.Helper()
			p.office.Call(t, "DELETE", "/school-admin/student/"+child.String()+"/guardians/"+guardianOf(parent), nil)
		},
		"erased": func(t *testing.T, p phones, parent *testkit.Client, _ uuid.UUID) {
			t.Helper()
			if err := p.DB(t).Exec(`update app_user set status = 'DISABLED', phone = null, email = null where id = ?`, parent.UserID).Error; err != nil {
				t.Fatal(err)
			}
			if _, err := p.App.Service.Auth.RepairDirectory(t.Context(), p.ID); err != nil {
				t.Fatal(err)
			}
		},
		"run out": func(t *testing.T, p phones, parent *testkit.Client, _ uuid.UUID) {
			t.Helper()
			if _, err := p.App.Service.Cluster.PlatformPool().Exec(t.Context(),
				`update platform.session set expires_at = now() - interval '1 minute' where id = $1`, parent.SessionID); err != nil {
				t.Fatal(err)
			}
			p.RunScheduled(t, "clear-told")
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := phonesAt(t, first.App, first.google)
			asha := p.Child(t, p.seat, 2)
			phone, other := p.signIn(t, asha.Parents[0], asha.ID), p.signIn(t, asha.Parents[1], asha.ID)
			end(t, p, asha.Parents[0], asha.ID)
			testkit.Eventually(t, "the phone is in no topic", func() bool { return len(p.google.topics(phone)) == 0 })
			if n := len(p.google.topics(other)); n != 5 {
				t.Errorf("the other phone is in %d topics", n)
			}
		})
	}
}

func TestPhone_RegisteredBySomebodyElse_LeavesTheTopicsOfTheOneBefore(t *testing.T) {
	t.Parallel()
	p := atPhones(t)
	asha, ravi := p.Child(t, p.seat, 1), p.Child(t, p.seat, 1)
	phone := p.signIn(t, asha.Parents[0], asha.ID)
	p.google.subscribe(phone, studentTopics(ravi.ID)...)
	testkit.Post[api.Nothing](t, ravi.Parents[0], "/parent/notification/token", map[string]any{"fcmToken": phone})
	want := append([]string{"school_" + p.ID.String()}, studentTopics(ravi.ID)...)
	testkit.Eventually(t, "it has the topics of its new user", func() bool { return slices.Equal(p.google.topics(phone), want) })
}

func TestRemovalFromTopics_ProviderRefuses_HoldsUpNoMessageAndIsDoneLater(t *testing.T) {
	t.Parallel()
	for _, status := range []int{403, 503} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			p := atPhones(t)
			asha := p.Child(t, p.seat, 2)
			phone, other := p.signIn(t, asha.Parents[0], asha.ID), p.signIn(t, asha.Parents[1], asha.ID)
			p.google.refuse(status)
			p.office.Call(t, "DELETE", "/school-admin/student/"+asha.ID.String()+"/guardians/"+guardianOf(asha.Parents[0]), nil)
			pool := p.App.Service.Cluster.PlatformPool()
			testkit.Eventually(t, "the refusal is written down", func() bool {
				var n int
				if err := pool.QueryRow(t.Context(), `select count(*) from platform.topic_removal where token = $1 and attempts > 0
					and last_error <> ''`, phone).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n == 1
			})
			trip := p.board(t, asha.ID)
			testkit.Eventually(t, "messages go out all the same", func() bool { return p.heardOf(other, trip) == 2 })
			for _, h := range p.google.to(phone) {
				if h.Token != "" || strings.Contains(h.Notification.Title+h.Notification.Body, "Asha") {
					t.Errorf("the phone that is still in the topic hears %+v", h)
				}
			}
			p.google.refuse(0)
			if status == 503 { // after 403 the lane rests for a minute
				testkit.Eventually(t, "the phone leaves the topics", func() bool { return len(p.google.topics(phone)) == 0 })
			}
		})
	}
}

// An instance that stops with the work undone leaves it to the next.
func TestRemovalFromTopics_InstanceGone_AnotherDoesIt(t *testing.T) {
	t.Parallel()
	p := atPhones(t, func(_ *config.Config, o *service.Options) { o.Drivers = map[delivery.Channel]delivery.Driver{} })
	asha := p.Child(t, p.seat, 1)
	phone := p.signIn(t, asha.Parents[0], asha.ID)
	asha.Parents[0].Call(t, "POST", "/auth/logout", map[string]any{})
	second := testkit.Start(t, func(c *config.Config, o *service.Options) {
		c.DatabaseURL, c.NodeURL = p.App.Service.Config.DatabaseURL, p.App.Service.Config.NodeURL
		o.Drivers = map[delivery.Channel]delivery.Driver{delivery.Push: p.google}
	})
	p.google.connect(t, second)
	testkit.Eventually(t, "the phone leaves the topics", func() bool { return len(p.google.topics(phone)) == 0 })
}

func TestPhone_SignedInAgainBeforeItsRemoval_StaysInItsTopics(t *testing.T) {
	t.Parallel()
	p := atPhones(t)
	asha := p.Child(t, p.seat, 1)
	phone := p.signIn(t, asha.Parents[0], asha.ID)
	pool := p.App.Service.Cluster.PlatformPool()
	// The removal is put off, and the same phone registers again.
	if _, err := pool.Exec(t.Context(), `with d as (select * from platform.device_token where token = $1)
		insert into platform.topic_removal (token, school_id, topics) select token, school_id, topics || '{student_other}'
		from d`, phone); err != nil {
		t.Fatal(err)
	}
	p.google.subscribe(phone, "student_other")
	testkit.Eventually(t, "only what it may not have is removed", func() bool {
		return !slices.Contains(p.google.topics(phone), "student_other")
	})
	if n := len(p.google.topics(phone)); n != 5 {
		t.Errorf("the phone is in %d topics", n)
	}
}

func TestDevice_SessionRefreshed_StillGetsPushes(t *testing.T) {
	t.Parallel()
	p := atPhones(t)
	asha := p.Child(t, p.seat, 1)
	number := p.Phone(t, asha.Parents[0])
	nobody := p.App.Nobody()
	nobody.Call(t, "POST", "/parent/user-auth/send-otp", map[string]any{"phone": number})
	var tokens struct{ AccessToken, RefreshToken string }
	nobody.Call(t, "POST", "/parent/user-auth/verify-otp", map[string]any{"phone": number, "otp": p.App.OTP(t, number)}).Read(t, &tokens)
	parent := p.App.Nobody()
	parent.Token = tokens.AccessToken
	phone := p.signIn(t, parent)
	if a := nobody.Call(t, "POST", "/auth/refresh", map[string]any{"refreshToken": tokens.RefreshToken}); a.Status != 200 {
		t.Fatalf("refresh: %d %s", a.Status, a.Body)
	}
	trip := p.board(t, asha.ID)
	testkit.Eventually(t, "the phone hears", func() bool { return p.heardOf(phone, trip) == 1 })
}
