package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/events"
	"homeroom/modules/transport"
	"homeroom/realtime"
	"homeroom/tenancy"
)

// openHub makes this instance's part of the live channel.
func (s *Service) openHub(o Options) {
	s.Hub = realtime.New(realtime.Parts{
		Redis: s.Redis, Who: s.socketWho, Sees: s.socketSees, Report: s.socketReport, Stands: s.busStands,
		Explain: s.socketExplain,
		Count: func(ctx context.Context, user uuid.UUID) error {
			return s.Kernel.Limits.Take(ctx, api.LimitLive, user.String())
		},
		AllowedOrigins: s.Config.AllowedOrigins, PerSecond: 4 * o.PositionsPerSecond, Patience: o.Patience, Clock: s.now, Log: s.Log,
	})
}

// mountRealtime serves the live channel on the API's own port.
func (s *Service) mountRealtime() {
	serve := func(g *gin.Context) { s.Hub.Serve(g.Writer, g.Request, api.AddressKey(g.ClientIP())) }
	s.Kernel.Engine().GET("/socket.io/", serve)
	s.Kernel.Engine().POST("/socket.io/", serve)
	s.Kernel.Engine().OPTIONS("/socket.io/", serve)
}

// socketWho says who a token speaks for; their school must be there and active.
func (s *Service) socketWho(ctx context.Context, token string) (realtime.Person, error) {
	user, err := s.Auth.Authenticate(ctx, token)
	if auth.IsExpired(err) {
		return realtime.Person{}, fmt.Errorf("%w: %w", realtime.ErrExpired, err)
	}
	if err != nil {
		return realtime.Person{}, err
	}
	until, err := s.Tokens.AccessEnds(token)
	if err != nil {
		return realtime.Person{}, api.Unauthorized("The token is invalid or has expired").Because(err)
	}
	if user.Role == api.SuperAdmin {
		return realtime.Person{}, api.Denied("This is for the people of a school")
	}
	school, err := s.schools.School(ctx, user.SchoolID)
	if err != nil {
		return realtime.Person{}, err
	}
	if school.Status != tenancy.Active {
		return realtime.Person{}, api.Coded(403, "Forbidden", "This school is suspended")
	}
	return realtime.Person{UserID: user.ID, SessionID: user.SessionID, SchoolID: user.SchoolID, Role: string(user.Role), RoleID: user.RoleID, Until: until}, nil
}

// socketExplain says an error in the fields of the API's.
func (s *Service) socketExplain(err error) realtime.Refusal {
	e := s.Kernel.Explain(err)
	r := realtime.Refusal{StatusCode: e.Status, Error: e.Code, Message: e.Message, RetryAfter: int((e.RetryAfter + time.Second - 1) / time.Second)}
	if len(e.Details) == 1 {
		r.Message = e.Details[0].Message
	}
	return r
}

// The rows whose rules the live channel goes by: who may ask where a bus is may watch it,
// and who may send positions later may send them live.
const (
	rowWatch  = "GET /bus-tracking/bus/:busId/live"
	rowReport = "POST /driver/bus-tracking/trips/:tripId/locations"
)

// socketMay asks what a call of the row would be asked.
func (s *Service) socketMay(ctx context.Context, p realtime.Person, row string) (*tenancy.School, error) {
	return s.Kernel.Permits(ctx, row, api.User{ID: p.UserID, SessionID: p.SessionID, SchoolID: p.SchoolID, Role: api.RoleType(p.Role), RoleID: p.RoleID})
}

// socketSees says what somebody may hear of a bus.
func (s *Service) socketSees(ctx context.Context, p realtime.Person, bus uuid.UUID) (realtime.Sight, error) {
	school, err := s.socketMay(ctx, p, rowWatch)
	if err != nil {
		return realtime.Sight{}, err
	}
	db, err := s.Cluster.School(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return realtime.Sight{}, err
	}
	sight, err := transport.SightOf(db, transport.Viewer{UserID: p.UserID, Role: api.RoleType(p.Role)}, bus, api.DateOf(s.now().In(school.Location())))
	return realtime.Sight(sight), err
}

func (s *Service) socketReport(ctx context.Context, p realtime.Person, position json.RawMessage, done func(error)) error {
	if _, err := s.socketMay(ctx, p, rowReport); err != nil {
		return err
	}
	var fields transport.PointFields
	if err := json.Unmarshal(position, &fields); err != nil {
		return api.Malformed("Send an object with lat, lng, speed, heading and timestamp").Because(err)
	}
	return s.Tracker.Report(ctx, p.SchoolID, p.UserID, fields, done)
}

// busStands is how a bus stands by the books, and where anybody remembers it to be.
func (s *Service) busStands(ctx context.Context, school, bus uuid.UUID) (realtime.Now, error) {
	var now realtime.Now
	seen, err := s.livePublisher().LastSeen(ctx, school, bus)
	if err != nil {
		s.Log.Warn("the last position of a bus is not remembered", "error", err)
	}
	_, db, err := s.schools.Open(ctx, school, tenancy.ReadOnly)
	if err != nil {
		return now, err
	}
	trip, err := transport.OpenTrip(db, bus)
	if err != nil {
		return now, err
	}
	if trip != nil {
		now.TripStatus = trip.Status
		if seen == nil || seen.TripID != trip.TripID {
			seen = trip.Seen
		}
	}
	if seen != nil {
		if now.Location, err = json.Marshal(seen.Where(bus, s.now())); err != nil {
			return now, fmt.Errorf("writing a position: %w", err)
		}
		now.At = seen.At
	}
	return now, nil
}

// livePublisher sends the transport module's news over the hub.
type livePublisher struct {
	hub   *realtime.Hub
	hints *events.Hints
	now   func() time.Time
}

func (s *Service) livePublisher() livePublisher { return livePublisher{s.Hub, s.Hints, s.now} }

func (p livePublisher) LastSeen(ctx context.Context, school, bus uuid.UUID) (*transport.Seen, error) {
	state, err := p.hub.Last(ctx, school, bus)
	if err != nil || state == nil {
		return nil, err
	}
	var seen transport.Seen
	if err := json.Unmarshal(state, &seen); err != nil {
		return nil, fmt.Errorf("reading a last position: %w", err)
	}
	return &seen, nil
}

func (p livePublisher) Moved(school, bus uuid.UUID, seen transport.Seen, etas []transport.StopETA) {
	p.hub.Move(school, bus, seen.At, func() ([]byte, []realtime.Event) {
		news := []realtime.Event{{Name: "location", Key: "location", Data: mustJSON(seen.Where(bus, p.now()))}}
		for _, e := range etas {
			news = append(news, realtime.Event{Name: "eta", Key: "eta:" + e.StopID.String(), Data: mustJSON(map[string]any{
				"busId": bus, "tripId": seen.TripID, "stopId": e.StopID, "etaSeconds": e.Seconds,
			})})
		}
		return mustJSON(seen), news
	})
}

func (p livePublisher) Tell(ctx context.Context, school, bus uuid.UUID, n transport.News) error {
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
	return p.hub.Tell(ctx, school, bus, about, realtime.Event{Name: n.Event, Data: data})
}

// mustJSON writes what cannot fail to be written.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
