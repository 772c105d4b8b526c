package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"homeroom/api"
	"homeroom/tenancy"
)

// unsent is a message of a dispatch that has not gone out, with the dispatch's own text.
type unsent struct {
	ID         uuid.UUID
	UserID     uuid.UUID
	Recipient  string
	Title      string
	Body       string
	DispatchID uuid.UUID
	Channel    string
	Subject    string
	Text       string
	Audience   string
}

// selectUnsent locks what waits for users, and what was given up and could be tried again.
const selectUnsent = `select d.id, d.user_id, d.recipient, d.title, d.body, d.dispatch_id, p.channel, p.subject, p.body as text,
	p.audience::text as audience
	from delivery d join dispatch p on p.id = d.dispatch_id
	where d.dispatch_id is not null and d.user_id = any($1) and d.state <> 'SENT' and d.recipient <> 'erased'
	order by d.id for update of d`

// deleteUnaddressed counts what it deletes as failed: a dispatch's numbers still add up.
const deleteUnaddressed = `with gone as (delete from delivery where id = any($1) returning dispatch_id),
	sums as (select dispatch_id, count(*) as n from gone group by dispatch_id)
	update dispatch d set cleared_failed = d.cleared_failed + s.n from sums s where d.id = s.dispatch_id`

const rewriteUnsent = `update delivery d set title = r.title, body = r.body, segments = greatest(r.segments, 1)
	from jsonb_to_recordset($1::jsonb) as r (id uuid, title text, body text, segments int) where d.id = r.id`

// FollowSight compares messages that have not gone out to users with whom their dispatches
// address now. One to somebody who is not addressed any more is taken back; one that names
// a child its reader may not see any more is written anew. It is a listener's, and twice is
// as once.
func (m *Module) FollowSight(ctx context.Context, school uuid.UUID, users []uuid.UUID) error {
	if len(users) == 0 {
		return nil
	}
	return api.InSchool(ctx, m.Schools, school, func(db *gorm.DB, found *tenancy.School) error { return m.recall(db, found, users) })
}

func (m *Module) recall(db *gorm.DB, school *tenancy.School, users []uuid.UUID) error {
	var waiting []unsent
	if err := tenancy.Pipeline(db, tenancy.Query{SQL: selectUnsent, Args: []any{users}, Scan: tenancy.Collect(&waiting)}); err != nil {
		return fmt.Errorf("reading messages of dispatches: %w", err)
	}
	if len(waiting) == 0 {
		return nil
	}
	addressed, err := addressedNow(db, waiting, api.DateOf(m.Clock().In(school.Location())))
	if err != nil {
		return err
	}
	var gone []uuid.UUID
	var rewritten []row
	for _, w := range waiting {
		r := w.reader(addressed[w.DispatchID])
		if r == nil {
			gone = append(gone, w.ID)
			continue
		}
		now := row{ID: w.ID, Title: fill(w.Subject, *r, school.Name), Body: fill(w.Text, *r, school.Name)}
		if now.Title == w.Title && now.Body == w.Body {
			continue
		}
		if w.Channel == "SMS" {
			now.Segments = m.Segments(now.Body)
		}
		rewritten = append(rewritten, now)
	}
	var queries []tenancy.Query
	if gone != nil {
		queries = append(queries, tenancy.Query{SQL: deleteUnaddressed, Args: []any{gone}})
	}
	if rewritten != nil {
		body, err := json.Marshal(rewritten)
		if err != nil {
			return err
		}
		queries = append(queries, tenancy.Query{SQL: rewriteUnsent, Args: []any{string(body)}})
	}
	if queries == nil {
		return nil
	}
	if err := tenancy.Pipeline(db, queries...); err != nil {
		return fmt.Errorf("recalling messages of dispatches: %w", err)
	}
	return nil
}

// addressedNow are the people each dispatch of the messages addresses on a day.
func addressedNow(db *gorm.DB, messages []unsent, today api.Date) (map[uuid.UUID][]recipient, error) {
	people := map[uuid.UUID][]recipient{}
	for _, w := range messages {
		if _, known := people[w.DispatchID]; known {
			continue
		}
		var audience Audience
		if err := json.Unmarshal([]byte(w.Audience), &audience); err != nil {
			return nil, fmt.Errorf("reading the audience of dispatch %s: %w", w.DispatchID, err)
		}
		var found []recipient
		if err := tenancy.Pipeline(db, peopleQuery(audience, today, &found)); err != nil {
			return nil, fmt.Errorf("looking for recipients: %w", err)
		}
		people[w.DispatchID] = found
	}
	return people, nil
}

// reader is which of the people addressed now a message is for: its user, else somebody
// who shares its address. nil: it is for nobody any more.
func (w unsent) reader(people []recipient) *recipient {
	var shares *recipient
	for i := range people {
		r := &people[i]
		if r.UserID != nil && *r.UserID == w.UserID {
			return r
		}
		if shares == nil && strings.EqualFold(r.address(w.Channel), w.Recipient) {
			shares = r
		}
	}
	return shares
}
