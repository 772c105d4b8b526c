package delivery

// Counts are how a channel stands, for metrics: what became of messages since the
// instance started, and what it has to do.
type Counts struct {
	Sent         int64
	Failed       int64 // given up: the dead letters
	Postponed    int64 // tries after which a message waits for the next
	Unconfigured int64 // given up since nobody has configured a provider
	Schools      int   // with something to send, the platform among them
	Paused       bool  // the provider is in trouble and is left alone for a while
}

// Counts says how every channel stands. It asks nobody.
func (s *Sender) Counts() map[Channel]Counts {
	out := map[Channel]Counts{}
	for c, l := range s.lanes {
		out[c] = l.counts()
	}
	return out
}

// count takes down what became of messages.
func (l *lane) count(results []result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range results {
		switch {
		case r.State == "SENT":
			l.sent++
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
