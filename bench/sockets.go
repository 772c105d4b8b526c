package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"time"

	"homeroom/realtime/socketio"
)

const (
	listeners       = 500  // of the one large room
	smallRooms      = 100  // of ten each
	smallRoom       = 10   //
	idleConnections = 2000 // of which the memory is measured
	ceilingTarget   = 2.0  // times Node's
	deliveryTarget  = 0.6  // of Node's processor time
	memoryTarget    = 0.5  // of Node's
	nodeServer      = "sockets_node.js"
)

// serveSockets is our Socket.IO server with a room to join and a word to pass on.
func serveSockets(ctx context.Context, ready func(address string)) error {
	var server *socketio.Server
	server = socketio.New(socketio.Options{
		Authenticate: func(_ *http.Request, auth json.RawMessage) (any, *socketio.Refusal) {
			var sent struct{ Token string }
			if json.Unmarshal(auth, &sent) != nil || sent.Token != "bench" {
				return nil, &socketio.Refusal{Message: "refused"}
			}
			return sent.Token, nil
		},
		OnEvent: func(s *socketio.Socket, name string, args []json.RawMessage, ack func(any)) {
			var room string
			if len(args) == 0 || json.Unmarshal(args[0], &room) != nil {
				return
			}
			switch name {
			case "join":
				s.Join(room)
				ack("joined")
			case "publish":
				_ = server.To(room).Emit("location", args[1])
			}
		},
		PacketRate: 1e6, PacketBurst: 1e6, // of the one who publishes
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(listener) }()
	ready(listener.Addr().String())
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = server.Close(stop)
	return web.Close()
}

// socketSide is one of the two servers.
type socketSide struct {
	name  string
	start func(ctx context.Context) (*child, error)
}

var socketSides = []socketSide{
	{"ours", func(ctx context.Context) (*child, error) { return startChild(ctx, "sockets", childSettings{}) }},
	{"Node", func(ctx context.Context) (*child, error) {
		return startProgram(exec.CommandContext(ctx, "node", "--expose-gc", nodeServer), "Node's Socket.IO", childSettings{})
	}},
}

// measured is one round of one side at one load.
type socketRound struct {
	perSecond float64
	cpu       float64 // microseconds of the server for a delivery
	p50, p99  time.Duration
}

func measureSockets(ctx context.Context, b *bench) error {
	loads := []struct {
		what   string
		rooms  int
		each   int
		pace   float64 // deliveries a second; 0 is as many as go
		target target
	}{
		{fmt.Sprintf("a room of %d at 10,000 deliveries/s", listeners), 1, listeners, 10_000, atMost(deliveryTarget)},
		{fmt.Sprintf("a room of %d at 50,000 deliveries/s", listeners), 1, listeners, 50_000, atMost(deliveryTarget)},
		{fmt.Sprintf("a room of %d at 100,000 deliveries/s", listeners), 1, listeners, 100_000, atMost(deliveryTarget)},
		{fmt.Sprintf("a room of %d at 200,000 deliveries/s", listeners), 1, listeners, 200_000, target{}},
		{fmt.Sprintf("a room of %d, as many as go", listeners), 1, listeners, 0, target{}},
		{fmt.Sprintf("%d rooms of %d at 1/s each", smallRooms, smallRoom), smallRooms, smallRoom, smallRooms * smallRoom,
			atMost(deliveryTarget)},
	}
	for _, l := range loads {
		results := map[string][]socketRound{}
		for range b.rounds {
			for _, side := range socketSides {
				r, err := side.round(ctx, l.rooms, l.each, l.pace, time.Duration(b.seconds)*time.Second)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", l.what, side.name, err)
				}
				results[side.name] = append(results[side.name], r)
			}
		}
		of := func(name string) socketRound {
			all := results[name]
			return socketRound{
				medianOf(all, func(r socketRound) float64 { return r.perSecond }), medianOf(all, func(r socketRound) float64 { return r.cpu }),
				medianOf(all, func(r socketRound) time.Duration { return r.p50 }), medianOf(all, func(r socketRound) time.Duration { return r.p99 }),
			}
		}
		ours, node := of("ours"), of("Node")
		if l.pace == 0 {
			b.report.add(line{
				what: l.what + ": Node's Socket.IO", ours: perSecond(ours.perSecond), limit: perSecond(node.perSecond),
				ratio: ours.perSecond / node.perSecond, target: atLeast(ceilingTarget),
			})
		}
		b.report.add(line{
			what: l.what + ", processor time of a delivery: Node's Socket.IO (ours / limit)",
			ours: fmt.Sprintf("%.1f µs", ours.cpu), limit: fmt.Sprintf("%.1f µs", node.cpu), ratio: ours.cpu / node.cpu, target: l.target,
		})
		b.report.note(fmt.Sprintf("%s: ours delivers %.0f/s, half within %s and 99 %% within %s; Node %.0f/s, %s and %s",
			l.what, ours.perSecond, millis(ours.p50), millis(ours.p99), node.perSecond, millis(node.p50), millis(node.p99)))
	}
	return measureIdleSockets(ctx, b)
}

// round starts a server, fills its rooms and has somebody publish.
func (side socketSide) round(ctx context.Context, rooms, each int, pace float64, length time.Duration) (r socketRound, err error) {
	c, err := side.start(ctx)
	if err != nil {
		return r, err
	}
	defer c.stop()
	crowd, err := gather(c.Address, rooms, each)
	if err != nil {
		return r, err
	}
	defer crowd.leave()
	if err := crowd.publish(ctx, pace, time.Second); err != nil { // until it is warm
		return r, err
	}
	crowd.startCounting()
	before, err := c.usage()
	if err != nil {
		return r, err
	}
	begun := time.Now()
	if err := crowd.publish(ctx, pace, length); err != nil {
		return r, err
	}
	after, err := c.usage()
	if err != nil {
		return r, err
	}
	delivered, took := crowd.delivered(), time.Since(begun)
	r.perSecond = float64(delivered) / took.Seconds()
	r.cpu = float64((after.CPU - before.CPU).Microseconds()) / float64(delivered)
	r.p50, r.p99 = crowd.latencies()
	return r, nil
}

// measureIdleSockets compares what a connection holds that says nothing.
func measureIdleSockets(ctx context.Context, b *bench) error {
	each := map[string]float64{}
	for _, side := range socketSides {
		var all []float64
		for range b.rounds {
			used, err := side.idle(ctx)
			if err != nil {
				return err
			}
			all = append(all, used)
		}
		each[side.name] = median(all)
	}
	b.report.add(line{
		what: fmt.Sprintf("memory of one of %d idle connections: Node's Socket.IO (ours / limit)", idleConnections),
		ours: fmt.Sprintf("%.1f KiB", each["ours"]/1024), limit: fmt.Sprintf("%.1f KiB", each["Node"]/1024),
		ratio: each["ours"] / each["Node"], target: atMost(memoryTarget),
	})
	return nil
}

func (side socketSide) idle(ctx context.Context) (bytesEach float64, err error) {
	c, err := side.start(ctx)
	if err != nil {
		return 0, err
	}
	defer c.stop()
	few, err := gather(c.Address, 1, 50) // what the first ones make it load is not theirs
	if err != nil {
		return 0, err
	}
	defer few.leave()
	before, err := c.collected()
	if err != nil {
		return 0, err
	}
	crowd, err := gather(c.Address, 1, idleConnections)
	if err != nil {
		return 0, err
	}
	defer crowd.leave()
	after, err := c.collected()
	return float64(after.RSS-before.RSS) / idleConnections, err
}
