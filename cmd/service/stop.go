package service

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"homeroom/config"
)

const (
	// stopTime is how long requests under way may go on when the service stops. Jobs are
	// put back beside them, so that a slow request takes none of their time; the last counts of
	// requests have as long again, and need milliseconds.
	stopTime = 20 * time.Second
	// socketTime is how long of that sockets may take to close.
	socketTime = 2 * time.Second
	// lingerTime is how long a proxy's idle connections are served after the last new one
	// was taken. Closing one just as a request comes would lose the request; until then the
	// proxy has used it up, or found that nobody listens and turned to others.
	lingerTime = 500 * time.Millisecond
)

// stop lets go of the callers one after another, so that none of them notices: those who
// ask whether we are ready get a no, and get time to hear it; every answer ends its
// connection; no new connections are taken, and those that were taken are served; sockets
// go elsewhere; what is under way is finished.
func (s *Service) stop(listener net.Listener, servers []*http.Server) error {
	close(s.stopping)
	behindProxy := s.Config.Profile == config.Production
	var err error
	if behindProxy {
		time.Sleep(s.Config.StopDelay)
		if err = closeGently(listener); errors.Is(err, net.ErrClosed) {
			err = nil // that is why we stop
		}
	}
	lingers := time.Now().Add(lingerTime)
	limit, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	leave, cut := context.WithTimeout(limit, socketTime)
	_ = s.Hub.Close(leave) // clients that have not gone by then are cut off
	cut()
	if behindProxy {
		time.Sleep(time.Until(lingers))
	}
	jobs := make(chan error, 1)
	go func() { jobs <- s.Jobs.Stop(limit) }()
	for _, server := range servers {
		err = errors.Join(err, server.Shutdown(limit))
	}
	last, done := context.WithTimeout(context.Background(), stopTime)
	defer done()
	return errors.Join(err, <-jobs, s.Traffic.Flush(last))
}

// listen takes connections of plain TCP: where a listener is of the multipath kind, which
// no proxy in front of us asks for, the kernel does not let closeGently do its work.
func listen(ctx context.Context, address string) (net.Listener, error) {
	var plain net.ListenConfig
	plain.SetMultipathTCP(false)
	return plain.Listen(ctx, "tcp", address)
}

// lastAnswers has every answer of a stopping instance end its connection, so that a proxy
// keeps none of them for later.
func (s *Service) lastAnswers(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-s.stopping:
			w.Header().Set("Connection", "close")
		default:
		}
		h.ServeHTTP(w, r)
	})
}
