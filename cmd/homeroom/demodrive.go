//go:build lean

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"homeroom/realtime/ioclient"
)

// demoDrive is how a demo bus is driven.
type demoDrive struct {
	url      string
	speed    float64
	pause    time.Duration
	incident bool
	tick     time.Duration
	say      func(string, ...any)
}

const (
	// demoPace is how fast the demo bus drives at speed 1, in metres a second.
	demoPace = 8.0
	// demoFastest is what the service still believes of a bus.
	demoFastest = 40
)

func demoDriveCommand() *cobra.Command {
	d := demoDrive{tick: time.Second}
	cmd := &cobra.Command{
		Use:   "demo-drive",
		Short: "Drive the demo bus along its route, so that a map has something to show",
		Long: `Sign in as the driver of the demo school's bus (homeroom local makes it), start its
trip, and report a position every second over Socket.IO, as the driver's app does.
Children board at their stops and alight at school; then the trip ends. Watch with
GET /bus-tracking/bus/:busId/live, or join the bus's room over Socket.IO.

It needs a service of the local profile that runs, and nothing else.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			d.say = func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
			return d.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&d.url, "url", "http://127.0.0.1:3001", "where the service is")
	cmd.Flags().Float64Var(&d.speed, "speed", 10, "how many times as fast as a bus: 1 to 40")
	cmd.Flags().DurationVar(&d.pause, "pause", 0, "pause the trip half-way for so long")
	cmd.Flags().BoolVar(&d.incident, "incident", false, "report a traffic jam half-way")
	return cmd
}

func (d demoDrive) run(ctx context.Context) error {
	if d.speed < 1 || d.speed > demoFastest {
		return fmt.Errorf("--speed must be from 1 to %d", demoFastest)
	}
	c := demoClient{url: d.url}
	trip, err := c.ready(ctx)
	if err != nil {
		return err
	}
	socket, err := ioclient.Dial(ctx, d.url, c.driver)
	if err != nil {
		return fmt.Errorf("connecting to the live channel: %w", err)
	}
	defer socket.Close()
	if err := emit(ctx, socket, "join-bus-room", map[string]any{"schoolId": c.school, "busId": trip.BusID}); err != nil {
		return err
	}
	d.say("Bus %s is on its way: trip %s, %s/bus-tracking/bus/%s/live", trip.BusNumber, trip.ID, d.url, trip.BusID)
	if err := d.drive(ctx, &c, trip, socket); err != nil {
		return err
	}
	if err := c.finish(ctx, trip); err != nil {
		return err
	}
	d.say("The trip has ended.")
	return nil
}

// drive goes from stop to stop.
func (d demoDrive) drive(ctx context.Context, c *demoClient, trip demoTrip, socket *ioclient.Client) error {
	for i, stop := range trip.Stops {
		if i > 0 {
			if err := d.leg(ctx, socket, trip.Stops[i-1], stop); err != nil {
				return err
			}
		} else if err := report(ctx, socket, stop.Lat, stop.Lng, 0, 0); err != nil {
			return err
		}
		d.say("  %s", stop.Name)
		if err := c.boardAt(ctx, trip, stop.ID); err != nil {
			return err
		}
		if i == len(trip.Stops)/2 {
			if err := d.halfWay(ctx, c, trip); err != nil {
				return err
			}
		}
	}
	return nil
}

// leg drives from one stop to the next, a position a tick.
func (d demoDrive) leg(ctx context.Context, socket *ioclient.Client, from, to demoStop) error {
	const degree = math.Pi / 180
	x, y := (to.Lng-from.Lng)*math.Cos(from.Lat*degree), to.Lat-from.Lat
	metres := math.Hypot(x, y) * degree * 6_371_000
	heading := math.Mod(math.Atan2(x, y)/degree+360, 360)
	steps := max(1, int(math.Ceil(metres/(demoPace*d.speed*d.tick.Seconds()))))
	for n := 1; n <= steps; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-socket.Closed:
			return fmt.Errorf("the connection ended: %w", socket.Err())
		case <-time.After(d.tick):
		}
		share := float64(n) / float64(steps)
		if err := report(ctx, socket, from.Lat+(to.Lat-from.Lat)*share, from.Lng+(to.Lng-from.Lng)*share, demoPace*d.speed,
			heading); err != nil {
			return err
		}
	}
	return nil
}

func (d demoDrive) halfWay(ctx context.Context, c *demoClient, trip demoTrip) error {
	if d.incident {
		d.say("  … a traffic jam")
		if err := c.call(ctx, "POST", "/driver/incident/report", c.driver,
			map[string]any{"busId": trip.BusID, "tripId": trip.ID, "type": "traffic_jam", "description": "Slow on the ring road"},
			nil); err != nil {
			return err
		}
	}
	if d.pause <= 0 {
		return nil
	}
	d.say("  … a pause of %s", d.pause)
	path := "/driver/bus-tracking/trips/" + trip.ID
	if err := c.call(ctx, "POST", path+"/pause", c.driver, map[string]any{}, nil); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d.pause):
	}
	return c.call(ctx, "POST", path+"/resume", c.driver, map[string]any{}, nil)
}

func report(ctx context.Context, socket *ioclient.Client, lat, lng, speed, heading float64) error {
	return emit(ctx, socket, "update-location", map[string]any{"lat": lat, "lng": lng, "speed": speed, "heading": heading,
		"timestamp": time.Now().UnixMilli()})
}

func emit(ctx context.Context, socket *ioclient.Client, event string, data any) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for { // what was said over HTTP just now may not have come around yet
		a, err := socket.Call(ctx, event, data)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", event, err)
		case a.OK:
			return nil
		case a.Error != "Conflict":
			return fmt.Errorf("%s: %s", event, a.Message)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %s", event, a.Message)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

var errNotLocal = errors.New("this service is not of the local profile: it shows nobody the codes it sends")

func closeBody(b io.Closer) { _ = b.Close() }
