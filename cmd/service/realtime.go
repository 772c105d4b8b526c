package service

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/api/openapi"
	"homeroom/auth"
	"homeroom/auth/tokens"
	"homeroom/events"
	"homeroom/modules/transport"
	"homeroom/modules/transport/live"
	"homeroom/realtime"
	"homeroom/tenancy"
)

// openLive makes the live channel and the tracker that shows buses on it.
func (s *Service) openLive(o Options) {
	s.Tracker = live.NewTracker(live.Parts{
		Schools: s.schools, OpenTrip: transport.TripDrivenBy, RecordCalls: transport.RecordCalls, Clock: s.now, Log: s.Log,
		PerSecond: o.PositionsPerSecond,
		Work: func(ctx context.Context, school uuid.UUID, name string, f func(api.Ctx) error) error {
			return s.Kernel.Work(ctx, school, name, f)
		},
	})
	s.access = &liveAccess{auth: s.Auth, tokens: s.Tokens, schools: s.schools, now: s.now}
	var sends []string
	for _, e := range transport.LiveEvents {
		sends = append(sends, e.Name)
	}
	buses := busReader{schools: s.schools, tracker: s.Tracker, now: s.now, log: s.Log}
	s.Hub = realtime.New(realtime.Parts{
		Redis: s.Redis, Identify: s.access.identify, SightOf: s.access.sightOf, MayReport: s.access.mayReport, Explain: s.access.explain,
		Limit:  s.access.limit,
		Report: s.Tracker.Report, ReadBus: buses.read, Sends: sends,
		AllowedOrigins: s.Config.AllowedOrigins, PerSecond: 4 * o.PositionsPerSecond, Patience: o.Patience, Clock: s.now, Log: s.Log,
	})
	s.Tracker.Channel = s.Hub
}

// liveChannel is what travels over the live channel, by the tables that send and handle it.
func liveChannel() openapi.LiveChannel {
	c := openapi.LiveChannel{Auth: realtime.Token{}, Accepted: realtime.Accepted{}, Refused: realtime.Refusal{}}
	for _, e := range realtime.ClientEvents(live.PointFields{}) {
		c.FromClients = append(c.FromClients, openapi.LiveEvent{Name: e.Name, Summary: e.Summary, Data: e.Data})
	}
	for _, e := range transport.LiveEvents {
		c.ToClients = append(c.ToClients, openapi.LiveEvent(e))
	}
	for _, e := range realtime.ServerEvents {
		c.ToClients = append(c.ToClients, openapi.LiveEvent{Name: e.Name, Summary: e.Summary, Data: e.Data})
	}
	return c
}

// mountRealtime serves the live channel on the API's own port.
func (s *Service) mountRealtime() {
	serve := func(g *gin.Context) { s.Hub.Serve(g.Writer, g.Request, api.AddressKey(g.ClientIP())) }
	s.Kernel.Engine().GET("/socket.io/", serve)
	s.Kernel.Engine().POST("/socket.io/", serve)
	s.Kernel.Engine().OPTIONS("/socket.io/", serve)
}

// liveAccess decides who may do what on the live channel, by the API's own rules.
type liveAccess struct {
	auth    *auth.Auth
	tokens  *tokens.Signer
	schools *schools
	kernel  *api.Kernel // set once it is made
	now     func() time.Time
}

// identify returns whom a token is of; their school must exist and be active.
func (a *liveAccess) identify(ctx context.Context, token string) (realtime.Person, error) {
	user, err := a.auth.Authenticate(ctx, token)
	if tokens.IsExpired(err) {
		return realtime.Person{}, fmt.Errorf("%w: %w", realtime.ErrExpired, err)
	}
	if err != nil {
		return realtime.Person{}, err
	}
	until, err := a.tokens.AccessEnds(token)
	if err != nil {
		return realtime.Person{}, api.Unauthorized("The token is invalid or has expired").Because(err)
	}
	if user.Role == api.SuperAdmin {
		return realtime.Person{}, api.Denied("This is for the people of a school")
	}
	school, err := a.schools.School(ctx, user.SchoolID)
	if err != nil {
		return realtime.Person{}, err
	}
	if school.Status != tenancy.Active {
		return realtime.Person{}, api.Coded(403, "Forbidden", "This school is suspended")
	}
	return realtime.Person{
		UserID:    user.ID,
		SessionID: user.SessionID,
		SchoolID:  user.SchoolID,
		Role:      string(user.Role),
		RoleID:    user.RoleID,
		Until:     until,
	}, nil
}

// The rows whose rules the live channel follows: a user who may read where a bus is may
// watch it, and one who may send positions later may send them live.
const (
	rowWatch  = "GET /bus-tracking/bus/:busId/live"
	rowReport = "POST /driver/bus-tracking/trips/:tripId/locations"
)

// permits applies the rules of a row to a person.
func (a *liveAccess) permits(ctx context.Context, row string, p realtime.Person) (*tenancy.School, error) {
	return a.kernel.Permits(
		ctx,
		row,
		api.User{ID: p.UserID, SessionID: p.SessionID, SchoolID: p.SchoolID, Role: api.RoleType(p.Role), RoleID: p.RoleID},
	)
}

func (a *liveAccess) mayReport(ctx context.Context, p realtime.Person) error {
	_, err := a.permits(ctx, rowReport, p)
	return err
}

func (a *liveAccess) sightOf(ctx context.Context, p realtime.Person, bus uuid.UUID) (realtime.Sight, error) {
	school, err := a.permits(ctx, rowWatch, p)
	if err != nil {
		return realtime.Sight{}, err
	}
	db, err := a.kernel.Databases.School(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return realtime.Sight{}, err
	}
	sight, err := transport.SightOf(
		db,
		transport.Viewer{UserID: p.UserID, Role: api.RoleType(p.Role)},
		bus,
		api.DateOf(a.now().In(school.Location())),
	)
	return realtime.Sight(sight), err
}

func (a *liveAccess) limit(ctx context.Context, user uuid.UUID) error {
	return a.kernel.Limits.Take(ctx, api.LimitLive, user.String())
}

// explain is an error in the fields of the API's.
func (a *liveAccess) explain(err error) realtime.Refusal {
	e := a.kernel.Explain(err)
	r := realtime.Refusal{
		StatusCode: e.Status,
		Error:      e.Code,
		Message:    e.Message,
		RetryAfter: int((e.RetryAfter + time.Second - 1) / time.Second),
	}
	if len(e.Details) == 1 {
		r.Message = e.Details[0].Message
	}
	return r
}

// busReader reads the state of a bus from the database and its last position from Redis.
type busReader struct {
	schools *schools
	tracker *live.Tracker
	now     func() time.Time
	log     *slog.Logger
}

func (b busReader) read(ctx context.Context, school, bus uuid.UUID) (realtime.BusState, error) {
	var state realtime.BusState
	last, err := b.tracker.Last(ctx, school, bus)
	if err != nil {
		b.log.Warn("the last position of a bus was not read", "error", err)
	}
	_, db, err := b.schools.Open(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return state, err
	}
	trip, err := transport.TripOfBus(db, bus)
	if err != nil {
		return state, err
	}
	if trip != nil {
		state.TripStatus = trip.Status
		if last == nil || last.TripID != trip.TripID {
			last = trip.Last
		}
	}
	if last != nil {
		if state.Location, err = json.Marshal(last.Location(bus, b.now())); err != nil {
			return state, fmt.Errorf("writing a position: %w", err)
		}
		state.At = last.At
	}
	return state, nil
}

// newsPublisher sends the transport module's news over the live channel.
type newsPublisher struct {
	hub   *realtime.Hub
	hints *events.Hints
}

// publish hints at a trip that changed, and sends the news to those who watch its bus.
func (p newsPublisher) publish(ctx context.Context, school uuid.UUID, n transport.News) error {
	if n.TripID != nil {
		p.hints.Send(ctx, hintTrip, n.TripID.String())
	}
	data, err := json.Marshal(n.Data)
	if err != nil {
		return fmt.Errorf("writing news of a bus: %w", err)
	}
	var about *realtime.About
	if n.StudentID != nil {
		about = &realtime.About{Student: *n.StudentID}
		if n.OnTrip != nil {
			about.Trip = *n.OnTrip
		}
	}
	return p.hub.Publish(ctx, school, n.BusID, about, realtime.Event{Name: n.Event, Data: data})
}
