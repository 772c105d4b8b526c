package delivery

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"homeroom/tenancy"
)

// Schools opens the schools, whose tables are the queues.
type Schools interface {
	// Open opens a school; tenancy.ErrSchoolNotFound is one that is not served at present.
	Open(ctx context.Context, id uuid.UUID, mode tenancy.Mode) (*tenancy.School, *gorm.DB, error)
}

// Outbox publishes a school's facts: Lease comes before their commit, Wake after it.
type Outbox interface {
	Lease(ctx context.Context, school uuid.UUID)
	Wake(school uuid.UUID)
}

// Parts are the dependencies of the sender; cmd wires them.
type Parts struct {
	Schools     Schools
	Platform    *pgxpool.Pool
	Outbox      Outbox
	Drivers     map[Channel]Driver // messages of a channel without one fail
	Browsers    *Browsers          // nil: no web push
	MaxInFlight map[Channel]int    // messages in flight at once; a few unless set
	Secret      []byte             // seals the platform's own messages
	// Papers makes the paper that goes with a message; nil: there is none.
	Papers func(ctx context.Context, m Message) (*Paper, error)
	// SMSLimit is how many segments all schools together may send in a day; 0: any.
	SMSLimit int
	Clock    func() time.Time
	Log      *slog.Logger
}

// Sender sends queued messages.
type Sender struct {
	Parts
	lanes map[Channel]*lane
}

var maxInFlight = map[Channel]int{Push: 32, SMS: 8, Email: 8, WhatsApp: 8, Unsubscribe: 4, WebPush: 32}

// New makes a sender; nothing is sent before Run.
func New(p Parts) *Sender {
	if p.Clock == nil {
		p.Clock = time.Now
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	s := &Sender{Parts: p, lanes: map[Channel]*lane{}}
	for _, c := range Channels {
		d, most := p.Drivers[c], p.MaxInFlight[c]
		if most == 0 {
			most = maxInFlight[c]
		}
		if d == nil {
			d, most = noProvider{}, 1
		}
		s.lanes[c] = newLane(c, d, most, p.Clock)
	}
	if u, ok := p.Drivers[Push].(Unsubscriber); ok {
		s.lanes[Unsubscribe] = newLane(Unsubscribe, unsubscribing{u}, maxInFlight[Unsubscribe], p.Clock)
	}
	if p.Browsers != nil {
		s.lanes[WebPush] = newLane(WebPush, p.Browsers, maxInFlight[WebPush], p.Clock)
	}
	return s
}

// Ready returns why a channel cannot be used, or nil.
func (s *Sender) Ready(c Channel) error {
	if s.Drivers[c] == nil {
		return ErrNoProvider
	}
	return nil
}

// noProvider is the driver of a channel without a configured provider: its messages fail with
// that reason instead of waiting for ever.
type noProvider struct{}

func (noProvider) Send(context.Context, Message) (string, error) {
	return "", &Fault{Permanent: true, Err: ErrNoProvider}
}

// Wake has a school's messages sent, on any channel.
func (s *Sender) Wake(school uuid.UUID) { s.wake(school, Channels...) }

// wake has a school's messages sent on these channels.
func (s *Sender) wake(school uuid.UUID, on ...Channel) {
	for _, c := range on {
		s.lanes[c].enqueue(school)
	}
}

const (
	tickEvery     = 50 * time.Millisecond
	platformEvery = 5 * time.Second
)

// Run sends until ctx ends; messages in flight are finished first.
func (s *Sender) Run(ctx context.Context) {
	var all sync.WaitGroup
	work := context.WithoutCancel(ctx)
	for _, l := range s.lanes {
		for range l.limit {
			all.Go(func() { s.work(work, l) })
		}
	}
	tick, platform := time.NewTicker(tickEvery), time.NewTicker(platformEvery)
	defer tick.Stop()
	defer platform.Stop()
	s.wakePlatform()
	for {
		select {
		case <-ctx.Done():
			for _, l := range s.lanes {
				l.stop()
			}
			all.Wait()
			return
		case <-tick.C:
			for _, l := range s.lanes {
				l.tick()
			}
		case <-platform.C:
			s.wakePlatform()
		}
	}
}

// wakePlatform checks the platform's own queue for messages that an instance left when it
// died, for devices that have to leave topics, and for messages to browsers.
func (s *Sender) wakePlatform() {
	for _, c := range []Channel{SMS, Email} {
		s.lanes[c].enqueue(uuid.Nil)
	}
	for _, c := range []Channel{Unsubscribe, WebPush} {
		if l := s.lanes[c]; l != nil {
			l.enqueue(uuid.Nil)
		}
	}
}

func (s *Sender) work(ctx context.Context, l *lane) {
	for {
		school, batch, ok := l.nextSchool()
		if !ok {
			return
		}
		if s.sendBatch(ctx, l, school, batch) {
			l.enqueue(school)
		}
		l.done()
	}
}

// queue is where a lane's messages come from: a school's table, or one of the platform's.
type queue interface {
	claim(ctx context.Context, c Channel, n int) ([]Message, error)
	ack(ctx context.Context, c Channel, results []result) error
	// charge reserves the cost of a message, or returns why it may not be spent.
	charge(ctx context.Context, m Message) error
}

// result is the outcome of one claimed message.
type result struct {
	ID         uuid.UUID  `json:"id"`
	State      string     `json:"state"`
	NextAt     *time.Time `json:"next_at"`
	Error      string     `json:"error"`
	ProviderID string     `json:"provider_id"`
	Untried    int        `json:"untried"`  // 1: it was claimed and not attempted
	Suppress   string     `json:"suppress"` // as of a Fault
	oneAddress bool       // the others of its batch do not wait with it
	suppressed bool       // it was not tried: nothing is sent to its address
	overdue    bool       // it was tried, in vain, after the next way's time had come
	ruled      bool
	wait       time.Duration
}

// sendBatch claims a few messages, sends them and records the results. It reports whether
// there may be more.
func (s *Sender) sendBatch(ctx context.Context, l *lane, school uuid.UUID, n int) (more bool) {
	ctx, cancel := context.WithTimeout(ctx, lease-5*time.Second)
	defer cancel()
	q, err := s.queueOf(ctx, l.channel, school)
	if err != nil || q == nil {
		s.warn(school, l.channel, "a queue could not be opened", err)
		return false
	}
	claimed, err := q.claim(ctx, l.channel, n)
	if err != nil {
		s.warn(school, l.channel, "messages could not be claimed", err)
		return false
	}
	if len(claimed) == 0 {
		return false
	}
	if len(claimed) == n {
		l.enqueue(school) // other workers may help
	}
	s.sendAll(ctx, l, q, claimed, func(results []result) {
		l.count(results)
		if err := q.ack(ctx, l.channel, results); err != nil {
			// They stay claimed until the lease ends, and are then sent again.
			s.warn(school, l.channel, "what became of messages could not be written down", err)
			return
		}
		s.warn(school, l.channel, "pushes wait longer than browsers take", s.checkAnswered(ctx, school, results))
	})
	return len(claimed) == n
}

// sendAll sends claimed messages, and has the results recorded: of pushes together, since a phone shows one that comes twice
// once; of all others one by one, so that a process that dies leaves a worker no more than one of which nobody knows.
func (s *Sender) sendAll(ctx context.Context, l *lane, q queue, claimed []Message, record func([]result)) {
	results := make([]result, 0, len(claimed))
	var rest time.Time
	for _, m := range claimed {
		if s.Clock().Before(rest) {
			results = append(results, result{ID: m.ID, State: "QUEUED", NextAt: &rest, Untried: 1, overdue: m.overdueAt(s.Clock())})
			continue
		}
		r := s.sendOne(ctx, l, q, m)
		r.ruled, r.wait = m.Ruled, m.Wait
		r.overdue = r.State == "QUEUED" && m.overdueAt(s.Clock())
		if r.State == "QUEUED" && !r.oneAddress {
			rest = *r.NextAt
		}
		results = append(results, r)
		if slices.Contains([]Channel{SMS, Email, WhatsApp}, l.channel) {
			record(results)
			results = results[:0]
		}
	}
	if len(results) > 0 {
		record(results)
	}
}

func (s *Sender) sendOne(ctx context.Context, l *lane, q queue, m Message) result {
	now := s.Clock()
	if !m.ExpiresAt.IsZero() && now.After(m.ExpiresAt) {
		return result{ID: m.ID, State: "FAILED", Error: "it was of no use any more"}
	}
	switch m.suppressed {
	case Stopped:
		return result{ID: m.ID, State: "FAILED", Error: "the recipient wants no messages on this channel", suppressed: true}
	case Bounced:
		return result{ID: m.ID, State: "FAILED", Error: "nothing arrives at this address: see its person", suppressed: true}
	}
	if (m.Channel == SMS || m.Channel == WhatsApp) && m.Attempts == 1 {
		if err := q.charge(ctx, m); err != nil {
			fault := faultOf(err)
			if fault.Permanent {
				return result{ID: m.ID, State: "FAILED", Error: storable(err)}
			}
			next := now.Add(backoff(firstRetry, lastRetry, m.Attempts))
			return result{ID: m.ID, State: "QUEUED", NextAt: &next, Error: storable(err), Untried: 1}
		}
	}
	var browsers onBrowsers
	if m.Channel == Push {
		var err error
		if browsers, err = s.pushToBrowsers(ctx, m); err != nil {
			next := now.Add(backoff(firstRetry, lastRetry, m.Attempts))
			return result{ID: m.ID, State: "QUEUED", NextAt: &next, Error: storable(err), Untried: 1}
		}
		if m.toBrowsers && browsers.Sent > 0 {
			return result{ID: m.ID, State: "SENT", ProviderID: toBrowsers}
		}
	}
	s.addPaper(ctx, l, &m)
	id, err := l.send(ctx, m)
	if r, ok := s.byBrowsers(m, browsers, id, err); ok {
		l.succeeded() // there is nothing that the provider could take
		return r
	}
	if err == nil {
		l.succeeded()
		return result{ID: m.ID, State: "SENT", ProviderID: id}
	}
	fault := faultOf(err)
	if fault.Permanent {
		l.succeeded() // the provider works
		return result{ID: m.ID, State: "FAILED", Error: storable(err), Suppress: fault.Suppress}
	}
	rest := now.Add(fault.RetryAfter)
	if !fault.OneAddress {
		rest = l.pause(fault.RetryAfter)
	}
	if now.Sub(m.CreatedAt) > maxAge {
		return result{ID: m.ID, State: "FAILED", Error: storable(err)}
	}
	next := now.Add(backoff(firstRetry, lastRetry, m.Attempts))
	if next.Before(rest) {
		next = rest
	}
	next = m.beforeOverdue(next, now)
	return result{ID: m.ID, State: "QUEUED", NextAt: &next, Error: storable(err), oneAddress: fault.OneAddress}
}

// addPaper adds the paper that goes with a message. Without one it is sent all the same: it says what has happened.
func (s *Sender) addPaper(ctx context.Context, l *lane, m *Message) {
	d, takes := l.driver.(PaperDriver)
	if !takes || s.Papers == nil || m.UserID == nil || !d.TakesPaper(*m) {
		return
	}
	var err error
	m.Paper, err = s.Papers(ctx, *m)
	s.warn(m.SchoolID, m.Channel, "a message goes without its paper", err)
}

func (s *Sender) warn(school uuid.UUID, c Channel, what string, err error) {
	if err != nil {
		s.Log.Warn(what, "school", school, "channel", c, "error", err)
	}
}

// WakeBrowsers has the messages to browsers sent that are due.
func (s *Sender) WakeBrowsers() {
	if l := s.lanes[WebPush]; l != nil {
		l.enqueue(uuid.Nil)
	}
}
