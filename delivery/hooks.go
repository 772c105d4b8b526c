package delivery

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"homeroom/events"
	"homeroom/tenancy"
)

// HooksWaiting is the fact that a school has facts to send to its webhooks. As long as there are any, one of these is in its
// outbox: if an instance dies, another one checks.
const HooksWaiting = "webhooks.waiting"

const (
	hookWorkers = 8
	hookBatch   = 16 // sent at once, of one school
	hookLease   = time.Minute

	// FirstHookRetry is how soon a fact that was not taken is sent again; each further time it is twice as long, up to LastHookRetry.
	FirstHookRetry = 5 * time.Second
	// LastHookRetry is the longest time between two tries.
	LastHookRetry = time.Hour
	// HookTimeout is how long a receiver may take.
	HookTimeout = sendTime
	// HookPatience is how long a webhook may fail before it is suspended, and how long a fact may before it is given up.
	HookPatience = 3 * 24 * time.Hour

	maxHookAnswer = 4 << 10 // bytes of an answer that are read
)

// HookParts are the dependencies of Hooks; cmd wires them.
type HookParts struct {
	Schools  Schools
	Platform *pgxpool.Pool // where the secrets are
	Client   *http.Client  // reaches addresses on the internet only, follows no redirects
	Loopback bool          // addresses of this machine may be named, by http too: a developer's machine
	Secret   []byte        // seals the webhooks' secrets
	Clock    func() time.Time
	Log      *slog.Logger

	FirstRetry time.Duration // after the first failure; each further one doubles it. 0 is 5 s
	Timeout    time.Duration // how long a receiver may take; 0 is 10 s
}

// Hooks sends a school's facts to the addresses it has named. Facts of one record are sent one after another; each at least
// once.
type Hooks struct {
	HookParts
	Outbox Outbox

	mu      sync.Mutex
	changed *sync.Cond
	waiting []uuid.UUID
	schools map[uuid.UUID]hookPhase
	stopped bool
}

type hookPhase int

const (
	hookQueued hookPhase = iota + 1
	hookRunning
	hookAgain // running, and to be checked again
)

// NewHooks makes a sender of webhooks; nothing is sent before Run.
func NewHooks(p HookParts) *Hooks {
	if p.FirstRetry == 0 {
		p.FirstRetry = FirstHookRetry
	}
	if p.Timeout == 0 {
		p.Timeout = HookTimeout
	}
	h := &Hooks{HookParts: p, schools: map[uuid.UUID]hookPhase{}}
	h.changed = sync.NewCond(&h.mu)
	return h
}

// Run sends until ctx ends; what is under way is finished first.
func (h *Hooks) Run(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.stopped = true
		h.changed.Broadcast()
	})
	defer stop()
	var all sync.WaitGroup
	for range hookWorkers {
		all.Go(func() {
			for school, ok := h.take(); ok; school, ok = h.take() {
				h.finish(school, h.sendBatch(context.WithoutCancel(ctx), school))
			}
		})
	}
	all.Wait()
}

// wake has a school's facts sent. One worker at a time does so for a school, so that an address which hangs holds up nobody
// else's.
func (h *Hooks) wake(school uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch h.schools[school] {
	case 0:
		h.schools[school] = hookQueued
		h.waiting = append(h.waiting, school)
		h.changed.Signal()
	case hookRunning:
		h.schools[school] = hookAgain
	}
}

func (h *Hooks) take() (uuid.UUID, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for !h.stopped && len(h.waiting) == 0 {
		h.changed.Wait()
	}
	if h.stopped {
		return uuid.Nil, false
	}
	school := h.waiting[0]
	h.waiting = h.waiting[1:]
	h.schools[school] = hookRunning
	return school, true
}

func (h *Hooks) finish(school uuid.UUID, more bool) {
	h.mu.Lock()
	more = more || h.schools[school] == hookAgain
	delete(h.schools, school)
	h.mu.Unlock()
	if more {
		h.wake(school)
	}
}

// Follow subscribes to the fact that webhooks wait.
func (h *Hooks) Follow(bus *events.Bus) {
	bus.On(HooksWaiting, "webhooks", func(ctx context.Context, heard events.Heard) error {
		db, err := events.DB(ctx)
		if err != nil {
			return err
		}
		return h.Queued(ctx, db, heard.SchoolID)
	})
}

// Queued has what a listener queued in its transaction sent: at once after the commit, and by another instance if that
// fails.
func (h *Hooks) Queued(ctx context.Context, db *gorm.DB, school uuid.UUID) error {
	now := h.Clock()
	if err := tenancy.Pipeline(db, watchHooks(now, now.Add(grace))); err != nil {
		return fmt.Errorf("watching over webhooks: %w", err)
	}
	events.After(ctx, func() { h.wake(school) })
	return nil
}

// sendBatch claims a few facts, sends them and records what came of it. It reports whether there may be more.
func (h *Hooks) sendBatch(ctx context.Context, school uuid.UUID) (more bool) {
	ctx, cancel := context.WithTimeout(ctx, hookLease-5*time.Second)
	defer cancel()
	at, db, err := h.Schools.Open(ctx, school, tenancy.ReadWrite)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return false // it is asked again by the fact, once it is served
	}
	var claimed []hookDelivery
	if err == nil {
		claimed, err = h.claim(ctx, school, db)
	}
	if err != nil {
		h.Log.Warn("facts for webhooks could not be claimed", "school", school, "error", err)
		return false
	}
	if len(claimed) == 0 {
		return false
	}
	results := make([]hookResult, len(claimed))
	var all sync.WaitGroup
	for i, d := range claimed {
		all.Go(func() { results[i] = h.send(ctx, school, d) })
	}
	all.Wait()
	if err := h.ack(ctx, at, db, results); err != nil {
		// They stay claimed until the lease ends, and are then sent again.
		h.Log.Warn("what became of facts for webhooks could not be written down", "school", school, "error", err)
		return false
	}
	return true
}

// HookEvent is what a receiver gets. It names a record and says nothing of it: who may read it does so with an API key.
type HookEvent struct {
	ID        uuid.UUID  `json:"id" doc:"The same however often it is sent"`
	Type      string     `json:"type" example:"student.changed"`
	Timestamp time.Time  `json:"timestamp" doc:"When it happened"`
	SchoolID  uuid.UUID  `json:"schoolId"`
	Data      HookRecord `json:"data"`
}

// HookRecord is which record the fact is about.
type HookRecord struct {
	Record  string    `json:"record" example:"student"`
	ID      uuid.UUID `json:"id"`
	Action  string    `json:"action,omitempty" example:"update" doc:"Of a change what was done, in the audit log's words"`
	Version *int      `json:"version" example:"4" doc:"The record's when the fact was queued; null: it has none, or is gone"`
}

// The headers of a fact, as the standard for webhooks names them (standardwebhooks.com).
const (
	hookIDHeader        = "webhook-id"
	hookTimeHeader      = "webhook-timestamp"
	hookSignatureHeader = "webhook-signature"
)

// HookHeaders are they for readers.
var HookHeaders = []struct{ Name, Says, Example string }{
	{hookIDHeader, "The fact's `id`", "0199a1c2-7a52-7cc3-98c4-dc0c0c07398f"},
	{hookTimeHeader, "When it was sent, in seconds since 1970", "1794990000"},
	{hookSignatureHeader, "`v1,` and the signature in base64", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
}

// send posts one fact, signed as the standard for webhooks says (standardwebhooks.com): id, time and body, by HMAC-SHA-256.
func (h *Hooks) send(ctx context.Context, school uuid.UUID, d hookDelivery) hookResult {
	out := hookResult{ID: d.ID, WebhookID: d.WebhookID}
	if d.secret == nil {
		out.Error = "the webhook has no secret here: make a new one"
		return out
	}
	body, err := json.Marshal(HookEvent{ID: d.EventID, Type: d.Kind, Timestamp: d.OccurredAt.UTC(), SchoolID: school,
		Data: HookRecord{Record: d.RecordType, ID: d.RecordID, Action: d.Action, Version: d.RecordVersion}})
	if err != nil {
		out.Error = storable(err)
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		out.Error = storable(err)
		return out
	}
	at := strconv.FormatInt(h.Clock().Unix(), 10)
	mac := hmac.New(sha256.New, d.secret)
	fmt.Fprintf(mac, "%s.%s.%s", d.EventID, at, body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Homeroom-Webhooks")
	r.Header.Set(hookIDHeader, d.EventID.String())
	r.Header.Set(hookTimeHeader, at)
	r.Header.Set(hookSignatureHeader, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	answer, err := h.Client.Do(r)
	if err != nil {
		out.Error = storable(err)
		return out
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.CopyN(io.Discard, answer.Body, maxHookAnswer) // so that the connection can be used again
	out.Status = &answer.StatusCode
	if out.Sent = answer.StatusCode >= 200 && answer.StatusCode < 300; !out.Sent {
		out.Error = fmt.Sprintf("answered %d", answer.StatusCode)
		if answer.StatusCode >= 300 && answer.StatusCode < 400 {
			out.Error += ", a redirect, which is not followed"
		}
	}
	return out
}
