package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"homeroom/delivery/webpush"
	"homeroom/tenancy"
)

// Browsers are those that users get notices on by web push (RFC 8030), beside the devices of the push provider. It has no
// account anywhere: the service makes a key pair when it is first needed, and each browser names its own push service.
type Browsers struct {
	Platform *pgxpool.Pool
	Secret   []byte // seals the key
	Subject  string // an address at which push services reach the operators
	Client   *http.Client
	Clock    func() time.Time

	mu  sync.Mutex
	key *webpush.Key
}

// PublicKey is what browsers bind their subscriptions to.
func (b *Browsers) PublicKey(ctx context.Context) (string, error) {
	key, err := b.keyPair(ctx)
	if err != nil {
		return "", err
	}
	return key.Public(), nil
}

const keyPurpose = "key of web push "

// keyPair reads the installation's key, and makes it if there is none: one for all instances, for a browser's subscription
// is of no use with another.
func (b *Browsers) keyPair(ctx context.Context) (*webpush.Key, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.key != nil {
		return b.key, nil
	}
	sealed, err := b.sealedKey(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		if err = b.makeKey(ctx); err == nil {
			sealed, err = b.sealedKey(ctx)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the key of web push: %w", err)
	}
	der, err := unseal(b.Secret, keyPurpose, sealed)
	if err != nil {
		return nil, err
	}
	b.key, err = webpush.ParseKey(der)
	return b.key, err
}

func (b *Browsers) sealedKey(ctx context.Context) (sealed []byte, err error) {
	return sealed, b.Platform.QueryRow(ctx, `select sealed from platform.web_push_key`).Scan(&sealed)
}

func (b *Browsers) makeKey(ctx context.Context) error {
	key, err := webpush.NewKey()
	if err != nil {
		return err
	}
	der, err := key.Bytes()
	if err != nil {
		return err
	}
	sealed, err := seal(b.Secret, keyPurpose, der)
	if err != nil {
		return err
	}
	_, err = b.Platform.Exec(ctx, `insert into platform.web_push_key (sealed, created_at) values ($1, $2) on conflict do nothing`,
		sealed, b.Clock())
	return err
}

// ResealKey encrypts the key of web push under another secret, in the transaction that makes it the installation's. One that
// the old secret does not open is deleted: browsers then subscribe anew to the next.
func ResealKey(old, next []byte) tenancy.InTx {
	return func(ctx context.Context, tx pgx.Tx) error {
		var sealed []byte
		err := tx.QueryRow(ctx, `select sealed from platform.web_push_key for update`).Scan(&sealed)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the key of web push: %w", err)
		}
		der, err := unseal(old, keyPurpose, sealed)
		if err != nil {
			_, err = tx.Exec(ctx, `delete from platform.web_push_key`)
			return err
		}
		if sealed, err = seal(next, keyPurpose, der); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update platform.web_push_key set sealed = $1`, sealed)
		return err
	}
}

// Check says which field of a subscription is wrong, and why; both are empty if none is.
func (b *Browsers) Check(endpoint string, p256dh, auth []byte) (field, problem string) {
	if err := webpush.CheckEndpoint(endpoint); err != nil {
		return "endpoint", err.Error()
	}
	if err := (webpush.Browser{P256dh: p256dh, Auth: auth}).Check(); err != nil {
		return "keys", err.Error()
	}
	return "", ""
}

// Subscribe makes a browser show the notices of a session's user. Accounts that are signed in side by side after one phone
// was proven share the browser; a user who had it before gets nothing there any more.
func (b *Browsers) Subscribe(ctx context.Context, endpoint string, p256dh, auth []byte, school, user, session uuid.UUID) error {
	batch := &pgx.Batch{}
	batch.Queue(`delete from platform.web_subscription w using platform.session s, platform.session mine
		where w.endpoint = $1 and s.id = w.session_id and mine.id = $2
		and (mine.proven_phone = '' or s.proven_phone <> mine.proven_phone) and w.user_id <> $3`, endpoint, session, user)
	batch.Queue(`delete from platform.web_subscription where session_id = $1 and endpoint <> $2`, session, endpoint)
	batch.Queue(`insert into platform.web_subscription (session_id, school_id, user_id, endpoint, p256dh, auth, last_seen_at)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (endpoint, user_id) do update set session_id = excluded.session_id, school_id = excluded.school_id,
			p256dh = excluded.p256dh, auth = excluded.auth, last_seen_at = excluded.last_seen_at`,
		session, school, user, endpoint, p256dh, auth, b.Clock())
	if err := b.Platform.SendBatch(ctx, batch).Close(); err != nil { // one transaction
		return fmt.Errorf("subscribing a browser: %w", err)
	}
	return nil
}

// Unsubscribe ends the notices of a session's browser.
func (b *Browsers) Unsubscribe(ctx context.Context, session uuid.UUID) error {
	_, err := b.Platform.Exec(ctx, `delete from platform.web_subscription where session_id = $1`, session)
	return err
}

// IsSubscribed reports whether a session's browser gets notices.
func (b *Browsers) IsSubscribed(ctx context.Context, session uuid.UUID) (is bool, err error) {
	return is, b.Platform.QueryRow(ctx, `select exists (select from platform.web_subscription where session_id = $1)`, session).Scan(&is)
}
