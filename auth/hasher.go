package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
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
	// hashWait is how long a sign-in queues for a core before it is told to come back.
	hashWait = 3 * time.Second
)

// Hasher turns secrets into hashes, never on more cores than it is given: a storm
// of sign-ins must not take the service down.
type Hasher struct {
	cores chan struct{}
	decoy string // verified when there is nothing to verify, so that it takes as long
}

// NewHasher uses at most cores at once; 0 is half of what there are.
func NewHasher(cores int) *Hasher {
	if cores == 0 {
		cores = max(1, runtime.GOMAXPROCS(0)/2)
	}
	h := &Hasher{cores: make(chan struct{}, cores)}
	h.decoy = hash("a secret nobody has")
	return h
}

// Hash makes the stored form of a secret.
func (h *Hasher) Hash(ctx context.Context, secret string) (string, error) {
	release, err := h.take(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return hash(secret), nil
}

// Verify compares a secret with its stored form; an empty one is never right, and
// takes as long to refuse.
func (h *Hasher) Verify(ctx context.Context, secret, stored string) (bool, error) {
	release, err := h.take(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if stored == "" {
		verify(secret, h.decoy)
		return false, nil
	}
	return verify(secret, stored), nil
}

func (h *Hasher) take(ctx context.Context) (func(), error) {
	ctx, cancel := context.WithTimeout(ctx, hashWait)
	defer cancel()
	select {
	case h.cores <- struct{}{}:
		return func() { <-h.cores }, nil
	case <-ctx.Done():
		return nil, api.Unavailable("Many people are signing in, try again in a moment")
	}
}

func hash(secret string) string {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails: the runtime ends the program instead
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
