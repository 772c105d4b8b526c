package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"homeroom/config"
	"homeroom/tenancy/lifecycle"
)

// Prepare brings the platform's schema and every node's template up to date. It
// refuses a database that is newer than this binary. Nodes besides main that cannot
// be reached keep nobody from starting: their schools must wait.
func (s *Service) Prepare(ctx context.Context) error {
	err := lifecycle.Setup(ctx, s.Cluster)
	var away *lifecycle.NodesError
	if errors.As(err, &away) {
		s.Log.Error("some database nodes could not be prepared; their schools must wait", "error", away)
	} else if err != nil {
		return fmt.Errorf("preparing the database: %w", err)
	}
	return lifecycle.CheckNotAhead(ctx, s.Cluster)
}

// Run serves until ctx ends, then stops gently: no new work, what is under way is
// finished, jobs are put back.
func (s *Service) Run(ctx context.Context, ready func(address string)) error {
	collectLess()
	listener, err := listen(ctx, net.JoinHostPort(s.Config.Bind, fmt.Sprint(s.Config.Port)))
	if err != nil {
		return fmt.Errorf("listening: %w (set PORT to another port)", err)
	}
	servers := []*http.Server{newServer(s.lastAnswers(s.Kernel.Handler()))}
	listeners := []net.Listener{listener}
	if s.Config.Profile == config.Production {
		ops, err := net.Listen("tcp", s.Config.OpsAddr)
		if err != nil {
			return fmt.Errorf("listening for operations: %w (set HOMEROOM_OPS_ADDR)", err)
		}
		servers, listeners = append(servers, newServer(s.Ops())), append(listeners, ops)
	}
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	done, err := s.Background(background)
	if err != nil {
		return err
	}
	failed := make(chan error, len(servers))
	for i, server := range servers {
		go func() { failed <- server.Serve(listeners[i]) }()
	}
	if ready != nil {
		ready("http://" + listener.Addr().String())
	}
	select {
	case <-ctx.Done():
		err = nil
	case err = <-failed:
	}
	err = errors.Join(err, s.stop(listener, servers))
	stopBackground()
	done.Wait()
	last, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	s.tracing.Flush(last)
	return err
}

// Background starts what runs beside requests: hints, the relay, jobs.
func (s *Service) Background(ctx context.Context) (*sync.WaitGroup, error) {
	var done sync.WaitGroup
	// Known before the first write is answered: other instances may read from a standby already.
	if err := s.Cluster.LookAtStandbys(ctx); err != nil {
		s.Log.Warn("the nodes' standbys are not known yet", "error", err)
	}
	done.Go(func() { s.Cluster.WatchStandbys(ctx) })
	done.Go(func() { _ = s.Hints.Run(ctx) })
	done.Go(func() { _ = s.Relay.Run(ctx) })
	done.Go(func() { s.Sender.Run(ctx) })
	done.Go(func() { s.Hooks.Run(ctx) })
	done.Go(func() { s.Hub.Run(ctx) })
	if err := s.Jobs.Start(ctx); err != nil {
		return nil, fmt.Errorf("starting jobs: %w", err)
	}
	return &done, nil
}

// Close lets go of every connection.
func (s *Service) Close() {
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.Hub.Close(gone) // clients that are still connected are cut off
	s.Tracker.Close()
	s.Auth.Hasher.Close()
	_ = s.Redis.Close()
	s.Cluster.Close()
	s.tracing.Close()
}

// newServer bounds what a slow or silent client can hold.
func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}
