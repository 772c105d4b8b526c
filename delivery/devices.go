package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Devices are the phones that users registered. They are the platform's, since a phone
// may pass from one school's user to another's, and end with their session.
//
// With each is kept which push topics its user may have subscribed it to. When a statement
// takes a topic from it, a trigger queues the removal at the provider.
type Devices struct {
	Platform *pgxpool.Pool
	Clock    func() time.Time
}

// Register assigns a device to its present user, with the topics this user may subscribe to.
func (d Devices) Register(ctx context.Context, token, platform string, school, user, session uuid.UUID, topics []string) error {
	_, err := d.Platform.Exec(ctx, `insert into platform.device_token (token, session_id, school_id, user_id, platform, topics, last_seen_at)
		values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (token) do update set session_id = excluded.session_id, school_id = excluded.school_id, user_id = excluded.user_id,
			platform = excluded.platform, topics = excluded.topics, last_seen_at = excluded.last_seen_at`,
		token, session, school, user, platform, orEmpty(topics), d.Clock())
	if err != nil {
		return fmt.Errorf("registering a device: %w", err)
	}
	return nil
}

// Of are the devices on which a school's user is signed in.
func (d Devices) Of(ctx context.Context, school, user uuid.UUID) ([]string, error) {
	rows, err := d.Platform.Query(ctx, `select t.token from platform.device_token t join platform.session s on s.id = t.session_id
		where t.user_id = $1 and t.school_id = $3 and s.revoked_at is null and s.expires_at > $2 order by t.last_seen_at desc
		limit 20`, user, d.Clock(), school)
	if err != nil {
		return nil, fmt.Errorf("looking for devices: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Users are those of a school's users who have a device, of all or, if any are given, of
// these.
func (d Devices) Users(ctx context.Context, school uuid.UUID, among ...uuid.UUID) ([]uuid.UUID, error) {
	rows, err := d.Platform.Query(ctx, `select distinct user_id from platform.device_token where school_id = $1
		and (cardinality($2::uuid[]) = 0 or user_id = any($2))`, school, append([]uuid.UUID{}, among...))
	if err != nil {
		return nil, fmt.Errorf("looking for users with devices: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

// SetTopics sets the topics that the devices of users may be subscribed to.
func (d Devices) SetTopics(ctx context.Context, school uuid.UUID, topics map[uuid.UUID][]string) error {
	type row struct {
		UserID uuid.UUID `json:"user_id"`
		Topics []string  `json:"topics"`
	}
	rows := make([]row, 0, len(topics))
	for user, t := range topics {
		rows = append(rows, row{user, orEmpty(t)})
	}
	body, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	_, err = d.Platform.Exec(ctx, `update platform.device_token d set topics = r.topics
		from jsonb_to_recordset($2::jsonb) as r (user_id uuid, topics text[])
		where d.user_id = r.user_id and d.school_id = $1 and d.topics <> r.topics`, school, string(body))
	if err != nil {
		return fmt.Errorf("writing the topics of devices: %w", err)
	}
	return nil
}

// Forget removes a device that is gone.
func (d Devices) Forget(ctx context.Context, token string) error {
	_, err := d.Platform.Exec(ctx, `delete from platform.device_token where token = $1`, token)
	return err
}

// orEmpty is the list as the database wants it: an empty one is no NULL.
func orEmpty(topics []string) []string { return append([]string{}, topics...) }
