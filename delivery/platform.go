package delivery

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Letter is a message of the platform itself: a code or a link. It belongs to no school.
type Letter struct {
	Channel Channel
	To      string
	Title   string
	Body    string
	Life    time.Duration // after it the message is useless
}

// Post queues a letter and does not wait for the provider.
func (s *Sender) Post(ctx context.Context, l Letter) error {
	if err := s.Ready(l.Channel); err != nil {
		return err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	sealed, err := seal(s.Secret, letterPurpose, text)
	if err != nil {
		return err
	}
	now := s.Clock()
	_, err = s.Platform.Exec(ctx, `insert into platform.message (id, channel, recipient, sealed, next_at, expires_at, created_at)
		values ($1, $2, $3, $4, $5, $6, $5)`,
		uuid.Must(uuid.NewV7()), l.Channel, l.To, sealed, now, now.Add(l.Life))
	if err != nil {
		return fmt.Errorf("queueing a message: %w", err)
	}
	s.lanes[l.Channel].enqueue(uuid.Nil)
	return nil
}

func aeadOf(secret []byte, purpose string) (cipher.AEAD, error) {
	key := sha256.Sum256(append([]byte(purpose), secret...))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal encrypts what the platform's tables keep, under a key for its purpose.
func seal(secret []byte, purpose string, text []byte) ([]byte, error) {
	aead, err := aeadOf(secret, purpose)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails: the runtime ends the program instead
	return aead.Seal(nonce, nonce, text, nil), nil
}

// unseal decrypts what seal made.
func unseal(secret []byte, purpose string, sealed []byte) ([]byte, error) {
	aead, err := aeadOf(secret, purpose)
	if err != nil {
		return nil, err
	}
	if len(sealed) < aead.NonceSize() {
		return nil, fmt.Errorf("the sealed %s is cut short", strings.TrimSpace(purpose))
	}
	text, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], nil)
	if err != nil {
		return nil, fmt.Errorf("opening the sealed %s: %w", strings.TrimSpace(purpose), err)
	}
	return text, nil
}

const letterPurpose = "messages of the platform "

func (s *Sender) open(sealed []byte) (Letter, error) {
	var l Letter
	text, err := unseal(s.Secret, letterPurpose, sealed)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(text, &l)
}

// platformQueue is the platform's own table.
type platformQueue struct{ s *Sender }

func (q platformQueue) claim(ctx context.Context, c Channel, n int) ([]Message, error) {
	now := q.s.Clock()
	rows, err := q.s.Platform.Query(ctx, `with due as (
			select id from platform.message where state = 'QUEUED' and channel = $1 and next_at <= $2 order by next_at, id
			limit $3 for update skip locked)
		update platform.message m set attempts = m.attempts + 1, next_at = $4 from due where m.id = due.id
		returning m.id, m.recipient, m.sealed, m.attempts, m.created_at, m.expires_at`, c, now, n, now.Add(lease))
	if err != nil {
		return nil, err
	}
	type row struct {
		ID        uuid.UUID
		Recipient string
		Sealed    []byte
		Attempts  int
		CreatedAt time.Time
		ExpiresAt time.Time
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil {
		return nil, err
	}
	claimed := make([]Message, len(found))
	for i, f := range found {
		l, err := q.s.open(f.Sealed)
		if err != nil {
			f.ExpiresAt = time.Unix(1, 0) // the secret was changed meanwhile: it cannot be read any more
		}
		claimed[i] = Message{ID: f.ID, Channel: c, School: "Homeroom", Locale: "en", To: f.Recipient, Title: l.Title, Body: l.Body,
			Attempts: f.Attempts, CreatedAt: f.CreatedAt, ExpiresAt: f.ExpiresAt}
	}
	return claimed, nil
}

// ack deletes sent messages: they contain secrets.
func (q platformQueue) ack(ctx context.Context, c Channel, results []result) error {
	now := q.s.Clock()
	batch := &pgx.Batch{}
	for _, r := range results {
		switch r.State {
		case "SENT":
			batch.Queue(`delete from platform.message where id = $1`, r.ID)
		case "FAILED":
			batch.Queue(`with m as (update platform.message set state = 'FAILED', last_error = $2 where id = $1
				returning id, channel, recipient, attempts, last_error, created_at)
				insert into platform.dead_letter (id, channel, recipient, type, attempts, last_error, created_at, failed_at)
				select id, channel, recipient, 'ACCOUNT', attempts, $2, created_at, $3 from m on conflict (id) do update
				set last_error = excluded.last_error, failed_at = excluded.failed_at`, r.ID, r.Error, now)
		default:
			batch.Queue(`update platform.message set next_at = $2, last_error = $3, attempts = attempts - $4 where id = $1`, r.ID, r.NextAt,
				r.Error, r.Untried)
			if r.NextAt != nil { // its user is waiting: it is sent when it is due, not at the next tick
				time.AfterFunc(r.NextAt.Sub(now), func() { q.s.lanes[c].enqueue(uuid.Nil) })
			}
		}
	}
	if err := q.s.Platform.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("settling the platform's messages: %w", err)
	}
	return nil
}
