//go:build lean

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"time"

	"homeroom/cmd/demo"
	"homeroom/config"
)

// demoClient calls the service as the demo school's driver and administrator.
type demoClient struct {
	url, driver, school string
}

type demoStop struct {
	ID, Name string
	Lat, Lng float64
}

type demoRider struct{ StudentID, StopID, Status string }

type demoTrip struct {
	ID, RouteID, BusID, BusNumber, Status string
	Stops                                 []demoStop
	Students                              []demoRider
}

// ready signs in and starts the day's trip; if that was driven already, another.
func (c *demoClient) ready(ctx context.Context) (demoTrip, error) {
	if err := c.signIn(ctx); err != nil {
		return demoTrip{}, err
	}
	var mine struct{ Items []demoTrip }
	if err := c.call(ctx, "GET", "/driver/trip/list", c.driver, nil, &mine); err != nil {
		return demoTrip{}, err
	}
	id, route := "", ""
	for _, t := range mine.Items {
		route = t.RouteID
		if t.Status != "completed" && t.Status != "cancelled" {
			id = t.ID
		}
	}
	if id == "" {
		var err error
		if id, err = c.schedule(ctx, route); err != nil {
			return demoTrip{}, err
		}
	}
	var trip demoTrip
	return trip, c.call(ctx, "POST", "/driver/bus-tracking/trips/"+id+"/start", c.driver, map[string]any{}, &trip)
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

func (c *demoClient) signIn(ctx context.Context) error {
	phone := demo.DriverPhone()
	if err := c.call(ctx, "POST", "/driver/user-auth/send-otp", "", map[string]any{"phone": phone}, nil); err != nil {
		return err
	}
	var sent struct {
		Items []struct{ Text string }
	}
	if err := c.call(ctx, "GET", "/dev/outbox?to="+url.QueryEscape(phone), "", nil, &sent); err != nil || len(sent.Items) == 0 {
		return errNotLocal
	}
	var in struct {
		AccessToken string
		User        struct{ SchoolID string }
	}
	err := c.call(ctx, "POST", "/driver/user-auth/verify-otp", "",
		map[string]any{"phone": phone, "otp": sixDigits.FindString(sent.Items[0].Text)}, &in)
	c.driver, c.school = in.AccessToken, in.User.SchoolID
	return err
}

// schedule adds a trip that begins now, as the office would.
func (c *demoClient) schedule(ctx context.Context, route string) (string, error) {
	local, err := config.Load(config.Local, map[string]string{"HOMEROOM_LOCAL_PASSWORD": os.Getenv("HOMEROOM_LOCAL_PASSWORD")})
	if err != nil {
		return "", err
	}
	var in struct{ AccessToken string }
	if err := c.call(ctx, "POST", "/auth/login", "", map[string]any{"email": "admin@green-valley.local", "password": local.LocalPassword},
		&in); err != nil {
		return "", err
	}
	if route == "" {
		var routes struct{ Items []struct{ ID string } }
		if err := c.call(ctx, "GET", "/school-admin/transport/route/list", in.AccessToken, nil, &routes); err != nil || len(routes.Items) == 0 {
			return "", fmt.Errorf("the demo school has no route (%v): start homeroom local anew", err)
		}
		route = routes.Items[0].ID
	}
	kolkata := time.FixedZone("IST", 5*3600+1800) // where the demo school is
	now := time.Now().In(kolkata)
	var made demoTrip
	for range 10 { // trips that were driven through at once have taken their minutes
		err = c.call(ctx, "POST", "/school-admin/transport/trip/schedule", in.AccessToken, map[string]any{
			"routeId": route, "tripDate": now.Format(time.DateOnly), "scheduledStartTime": now.Format("15:04")}, &made)
		var taken refusal
		if !errors.As(err, &taken) || taken.status != http.StatusConflict {
			break
		}
		now = now.Add(time.Minute)
	}
	return made.ID, err
}

// boardAt lets those who wait at a stop on.
func (c *demoClient) boardAt(ctx context.Context, trip demoTrip, stop string) error {
	for _, r := range trip.Students {
		if r.StopID == stop && r.Status == "waiting" {
			if err := c.tap(ctx, trip, r, "boarded"); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish lets everybody off and ends the trip.
func (c *demoClient) finish(ctx context.Context, trip demoTrip) error {
	var now struct{ Students []demoRider }
	if err := c.call(ctx, "GET", "/driver/student/list?tripId="+trip.ID, c.driver, nil, &now); err != nil {
		return err
	}
	for _, r := range now.Students {
		status := map[string]string{"boarded": "alighted", "waiting": "no_show"}[r.Status]
		if status == "" {
			continue
		}
		if err := c.tap(ctx, trip, r, status); err != nil {
			return err
		}
	}
	return c.call(ctx, "POST", "/driver/bus-tracking/trips/"+trip.ID+"/end", c.driver, map[string]any{}, nil)
}

func (c *demoClient) tap(ctx context.Context, trip demoTrip, r demoRider, status string) error {
	return c.call(ctx, "POST", "/driver/student/board", c.driver,
		map[string]any{"tripId": trip.ID, "studentId": r.StudentID, "status": status}, nil)
}

// call calls an endpoint; sign-in paths take their parameters flat.
// refusal is an answer that is no success.
type refusal struct {
	status  int
	message string
}

func (r refusal) Error() string { return fmt.Sprintf("%d %s", r.status, r.message) }

func (c *demoClient) call(ctx context.Context, method, path, token string, data map[string]any, into any) error {
	var body bytes.Buffer
	if data != nil {
		var sent any = map[string]any{"data": data}
		if token == "" {
			sent = data
		}
		if err := json.NewEncoder(&body).Encode(sent); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, &body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("%w (is homeroom local running?)", err)
	}
	defer closeBody(answer.Body)
	said := struct {
		Data    any    `json:"data"`
		Message string `json:"message"`
	}{Data: into}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil && answer.StatusCode < 300 {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %w", method, path, refusal{answer.StatusCode, said.Message})
	}
	return nil
}
