package delivery

// Counts are a channel's messages by outcome since the instance started, and its queue, for
// metrics.
type Counts struct {
	Sent         int64
	Failed       int64 // given up: the dead letters
	Postponed    int64 // attempts after which a message waits for the next
	Unconfigured int64 // given up since no provider is configured
	Schools      int   // with something to send, the platform among them
	Paused       bool  // nothing is sent for a while, since the provider fails
}

// Counts returns every channel's counts, from memory.
func (s *Sender) Counts() map[Channel]Counts {
	out := map[Channel]Counts{}
	for c, l := range s.lanes {
		out[c] = l.counts()
	}
	return out
}

// count adds results to the counters.
func (l *lane) count(results []result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range results {
		switch {
		case r.State == "SENT":
			l.sent++
		case r.suppressed:
		case r.State == "FAILED" && r.Error == ErrNoProvider.Error():
			l.unconfigured++
		case r.State == "FAILED":
			l.failed++
		case r.Untried == 0:
			l.postponed++
		}
	}
}

func (l *lane) counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Counts{
		Sent: l.sent, Failed: l.failed, Postponed: l.postponed, Unconfigured: l.unconfigured,
		Schools: len(l.waiting), Paused: l.now().Before(l.pausedUntil),
	}
}
