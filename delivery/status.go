package delivery

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/notice"
	"homeroom/tenancy"
)

// What a provider says of a message after it took it, or of a recipient.
const (
	wasDelivered = "delivered"
	wasRead      = "read"
	wasLost      = "failed"  // it was not delivered
	hasBounced   = "bounced" // and nothing ever will be at this address
	hasStopped   = "stopped" // the recipient wants nothing more on this channel
	hasStarted   = "started" // and does after all
)

// Why nothing is sent to an address.
const (
	Stopped = "STOPPED" // its owner wants nothing
	Bounced = "BOUNCED" // it does not exist
)

// suppressed is why nothing is sent to an address any more after what a provider said.
var suppressed = map[string]string{hasStopped: Stopped, hasBounced: Bounced}

// Status is what a provider says of a message later, or of a recipient.
type Status struct {
	SchoolID uuid.UUID `json:"-"` // zero: it says nothing of a message
	ID       uuid.UUID `json:"id"`
	// Reference is our name of the message in an e-mail provider's report: the Message-ID.
	Reference string    `json:"messageId"`
	Status    string    `json:"status"`
	To        string    `json:"to"` // of bounced, stopped and started
	Reason    string    `json:"reason"`
	At        time.Time `json:"at"`
}

// ErrBadSignature is a report that is not signed with the provider's secret.
var ErrBadSignature = errors.New("the signature does not fit")

// CheckSignature checks X-Hub-Signature-256, the HMAC of a body under a secret. Without a secret nothing fits.
func CheckSignature(secret, header string, body []byte) error {
	sum, err := hex.DecodeString(strings.TrimPrefix(header, "sha256="))
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(body)
	if err != nil || secret == "" || !hmac.Equal(mac.Sum(nil), sum) {
		return ErrBadSignature
	}
	return nil
}

// reference names a message in what goes to a provider and comes back with its state. Empty: it is the platform's own.
func reference(m Message) string {
	if m.SchoolID == uuid.Nil {
		return ""
	}
	return m.ID.String() + "@" + m.SchoolID.String()
}

// parseReference reads a reference, or the Message-ID of an e-mail, which begins with one.
func parseReference(text string) (school, id uuid.UUID, ok bool) {
	first, second, _ := strings.Cut(strings.Trim(text, "<> "), "@")
	second, _, _ = strings.Cut(second, ".")
	id, err := uuid.Parse(first)
	if err != nil {
		return school, id, false
	}
	school, err = uuid.Parse(second)
	return school, id, err == nil
}

// ReadStatuses reads our own form of a report, for e-mail and for SMS by webhook:
// {"statuses": [{messageId, status, to, reason, at}]}.
func ReadStatuses(body []byte) ([]Status, error) {
	var report struct {
		Statuses []Status `json:"statuses"`
	}
	if err := json.Unmarshal(body, &report); err != nil {
		return nil, fmt.Errorf("reading a provider's report: %w", err)
	}
	for i := range report.Statuses {
		s := &report.Statuses[i]
		s.SchoolID, s.ID, _ = parseReference(s.Reference)
	}
	return report.Statuses, nil
}

// stopWord is what a recipient asks for who answers a message; empty: nothing that we know.
func stopWord(text string) string {
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT":
		return hasStopped
	case "START", "UNSTOP":
		return hasStarted
	}
	return ""
}

// recordStatus writes down what a provider of the channel $2 said ($1) at $3. It may come before our own word that the message
// was sent, which then finds a state that it does not change: what was delivered is SENT, and not sent again if the provider's
// answer is lost. A message that was delivered does not fail any more; one that failed is followed by the next way of the
// school's rule. Who read it on another channel has read it.
const recordStatus = `with said as (select distinct on (id) *
		from jsonb_to_recordset($1::jsonb) as r (id uuid, status text, reason text, at timestamptz)
		order by id, array_position(array['` + wasRead + `', '` + wasDelivered + `'], status)),
	told as (update delivery d set
			delivered_at = case when s.status in ('` + wasDelivered + `', '` + wasRead + `') then coalesce(d.delivered_at, s.at)
				else d.delivered_at end,
			seen_at = case when s.status = '` + wasRead + `' then coalesce(d.seen_at, s.at) else d.seen_at end,
			state = case when s.status in ('` + wasDelivered + `', '` + wasRead + `') then 'SENT' when d.delivered_at is null then 'FAILED'
				else d.state end,
			sent_at = case when s.status in ('` + wasDelivered + `', '` + wasRead + `') then coalesce(d.sent_at, s.at) else d.sent_at end,
			last_error = case when s.status in ('` + wasLost + `', '` + hasBounced + `') and d.delivered_at is null then s.reason
				else d.last_error end
		from said s where d.id = s.id and d.channel = $2 and d.state <> 'FAILED'
		returning d.id, d.user_id, d.log_keys, d.seen_at, d.state = 'FAILED' as failed, d.rule is not null as ruled),
	log as (update notification n set read_at = t.seen_at from told t where t.seen_at is not null and n.user_id = t.user_id
		and n.dedupe_key = any(t.log_keys) and n.read_at is null)
	insert into outbox (id, kind, payload, occurred_at, next_at)
	select gen_random_uuid(), '` + notice.Unanswered + `', jsonb_build_object('ids', jsonb_agg(id)), $3, $3
		from told where failed and ruled having count(*) > 0`

// recordSuppressed keeps or ends what is not to be sent any more: $1 the channel, $2 the recipient in lower case.
const (
	recordSuppressed = `insert into suppression (channel, recipient, reason, problem, created_at) values ($1, $2, $3, $4, $5)
		on conflict (channel, recipient) do nothing`
	endSuppressed = `delete from suppression where channel = $1 and recipient = $2`
)

// Record writes down what a provider of a channel said. Who stopped or cannot be reached is kept by the school of the message, or
// where it names none by every school that knows the address. A school that cannot be written to does not hold up the others;
// the error then has the provider report again, which changes nothing where it was recorded.
func (s *Sender) Record(ctx context.Context, c Channel, statuses []Status) error {
	var failed []error
	bySchool := map[uuid.UUID][]tenancy.Query{}
	states := map[uuid.UUID][]Status{}
	for _, st := range statuses {
		if st.At.IsZero() {
			st.At = s.Clock()
		}
		st.Reason = storable(errors.New(st.Reason))
		known := st.SchoolID != uuid.Nil && st.ID != uuid.Nil
		if known && slices.Contains([]string{wasDelivered, wasRead, wasLost, hasBounced}, st.Status) {
			states[st.SchoolID] = append(states[st.SchoolID], st)
		}
		q, ok := st.suppression(c)
		if !ok {
			continue
		}
		schools := []uuid.UUID{st.SchoolID}
		if !known {
			var err error
			if schools, err = s.schoolsKnowing(ctx, st.recipient()); err != nil {
				failed = append(failed, err)
			}
		}
		for _, school := range schools {
			bySchool[school] = append(bySchool[school], q)
		}
	}
	for school, list := range states {
		body, err := json.Marshal(list)
		if err != nil {
			return err
		}
		bySchool[school] = append(bySchool[school], tenancy.Query{SQL: recordStatus, Args: []any{string(body), c, s.Clock()}})
	}
	for school, queries := range bySchool {
		if err := s.recordIn(ctx, school, queries); err != nil {
			failed = append(failed, fmt.Errorf("school %s: %w", school, err))
		}
	}
	return errors.Join(failed...)
}

func (st Status) recipient() string { return strings.ToLower(strings.TrimSpace(st.To)) }

// suppression is the statement that keeps or ends what its recipient is not to be sent.
func (st Status) suppression(c Channel) (tenancy.Query, bool) {
	to := st.recipient()
	switch reason := suppressed[st.Status]; {
	case to == "":
		return tenancy.Query{}, false
	case reason != "":
		return tenancy.Query{SQL: recordSuppressed, Args: []any{c, to, reason, st.Reason, st.At}}, true
	case st.Status == hasStarted:
		return tenancy.Query{SQL: endSuppressed, Args: []any{c, to}}, true
	}
	return tenancy.Query{}, false
}

// schoolsKnowing are the schools where somebody has this phone or e-mail address.
func (s *Sender) schoolsKnowing(ctx context.Context, to string) ([]uuid.UUID, error) {
	rows, err := s.Platform.Query(ctx, `select distinct school_id from platform.account
		where school_id is not null and (phone = $1 or lower(email) = $1)`, to)
	if err != nil {
		return nil, fmt.Errorf("looking for the schools of an address: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

func (s *Sender) recordIn(ctx context.Context, school uuid.UUID, queries []tenancy.Query) error {
	_, db, err := s.Schools.Open(ctx, school, tenancy.ReadWrite)
	if errors.Is(err, tenancy.ErrSchoolNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Outbox.Lease(ctx, school)
	if err := tenancy.Pipeline(db, queries...); err != nil {
		return fmt.Errorf("recording states of messages: %w", err)
	}
	s.Outbox.Wake(school)
	return nil
}
