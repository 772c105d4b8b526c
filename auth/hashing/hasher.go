// Package hashing turns secrets into stored forms and compares them, in processes of its own at a low priority, and never on more
// cores than it is given. It knows no account and keeps nothing.
package hashing

import (
	"context"
	cryptorand "crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"homeroom/api"
)

// argon2id's cost: 19 MiB and two passes, about 43 ms of one core.
const (
	hashMemory = 19 * 1024
	hashTime   = 2
	hashBytes  = 32
	saltBytes  = 16
	hashWait   = 3 * time.Second
)

// Hasher turns secrets into hashes, never on more cores than it is given: a storm
// of sign-ins must not take the service down.
type Hasher struct {
	// Wait is how long a sign-in queues for a core before it is answered 503, give or take a
	// third: calls that came together must not all come back together. 3 s unless set.
	Wait time.Duration

	cores    chan *worker
	admitted chan struct{}

	waiting atomic.Int64
	refused atomic.Int64
	hashed  atomic.Int64
}

// Counts are the state of the queue for hashing, for metrics.
type Counts struct {
	Waiting int64 // sign-ins that wait to be admitted, or for a core
	Refused int64 // answered 503, since the start
	Hashed  int64 // since the start
}

// Counts returns the state of the queue.
func (h *Hasher) Counts() Counts {
	return Counts{Waiting: h.waiting.Load(), Refused: h.refused.Load(), Hashed: h.hashed.Load()}
}

// decoy is verified when there is nothing to verify, so that it takes as long.
var decoy = sync.OnceValue(func() string { return hash("a secret nobody has") })

// New makes a Hasher that uses at most cores at once; 0 is half of what there are. The command
// starts a program that calls Serve; without one it is done in this process.
func New(cores int, command ...string) *Hasher {
	if cores == 0 {
		cores = max(1, runtime.GOMAXPROCS(0)/2)
	}
	h := &Hasher{Wait: hashWait, cores: make(chan *worker, cores), admitted: make(chan struct{}, cores+1)}
	for range cores {
		h.cores <- &worker{command: command}
	}
	decoy() // now, and not during the first unknown user's sign-in
	return h
}

// Close ends the processes; later tasks start them again.
func (h *Hasher) Close() {
	workers := make([]*worker, cap(h.cores))
	for i := range workers {
		workers[i] = <-h.cores
		workers[i].stopWhenIdle()
	}
	for _, w := range workers {
		h.cores <- w
	}
}

// Hash makes the stored form of a secret.
func (h *Hasher) Hash(ctx context.Context, secret string) (string, error) {
	answer, err := h.do(ctx, task{Secret: secret})
	return answer.Hash, err
}

// Verify compares a secret with its stored form; an empty one is never right, and
// takes as long to refuse.
func (h *Hasher) Verify(ctx context.Context, secret, stored string) (bool, error) {
	t := task{Secret: secret, Stored: stored}
	if stored == "" {
		t.Stored = decoy()
	}
	answer, err := h.do(ctx, t)
	return answer.OK && stored != "", err
}

// Admit admits as many sign-ins as can be worked on, one more than there are cores, until
// done is called. The others wait here, before they cost anything: two hundred at once would
// otherwise all look up their accounts and then wait. A sign-in that is answered 503 here was
// not counted as an attempt.
func (h *Hasher) Admit(ctx context.Context) (done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, h.Wait*2/3+rand.N(h.Wait*2/3))
	defer cancel()
	h.waiting.Add(1)
	defer h.waiting.Add(-1)
	select {
	case h.admitted <- struct{}{}:
		return func() { <-h.admitted }, nil
	case <-ctx.Done():
		h.refused.Add(1)
		return nil, errManySignIns
	}
}

// do queues for a core, but not for long.
func (h *Hasher) do(ctx context.Context, t task) (hashed, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Wait)
	defer cancel()
	h.waiting.Add(1)
	select {
	case w := <-h.cores:
		h.waiting.Add(-1)
		h.hashed.Add(1)
		defer func() { h.cores <- w }()
		return w.do(t), nil
	case <-ctx.Done():
		h.waiting.Add(-1)
		h.refused.Add(1)
		return hashed{}, errManySignIns
	}
}

var errManySignIns = api.Unavailable("Many people are signing in, try again in a moment")

func hash(secret string) string {
	salt := make([]byte, saltBytes)
	_, _ = cryptorand.Read(salt) // never fails: the runtime ends the program instead
	sum := argon2.IDKey([]byte(secret), salt, hashTime, hashMemory, 1, hashBytes)
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=1$%s$%s", hashMemory, hashTime,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(sum))
}

func verify(secret, stored string) bool {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var memory, passes uint32
	var lanes uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes); err != nil {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) == 0 {
		return false
	}
	got := argon2.IDKey([]byte(secret), salt, passes, memory, lanes, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1
}
