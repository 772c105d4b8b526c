package notification

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"homeroom/api"
	"homeroom/events"
	"homeroom/notice"
	"homeroom/tenancy"
)

type aboutRecord struct {
	RecordID uuid.UUID `json:"recordId" validate:"required" doc:"What the notice is about: data.id of a push, the id of an announcement, event, holiday or exam; or a batch, as of its list"`
}

// Reached is whom the newest notice about a record has reached, and by what.
type Reached struct {
	RecordID   uuid.UUID    `json:"recordId"`
	People     int          `json:"people" doc:"Whom it is for"`
	Read       int          `json:"read" doc:"Have read it in the app"`
	Reached    int          `json:"reached" doc:"Have read it, or a provider took it for them by one way at least"`
	Waiting    int          `json:"waiting" doc:"It is still on its way to them: it waits for the end of quiet hours, or for a provider"`
	NotReached int          `json:"notReached"`
	Ways       []WayReached `json:"ways" gorm:"-" db:"-"`
	Rest       []RestByWay  `json:"rest" gorm:"-" db:"-" doc:"By which ways those who were not reached can be"`
}

// WayReached is what became of a notice on one way.
type WayReached struct {
	Way     string `json:"way" enum:"PUSH,SMS,EMAIL,WHATSAPP"`
	Sent    int    `json:"sent" doc:"People for whom a provider took it"`
	Failed  int    `json:"failed" doc:"People for whom it was given up"`
	Waiting int    `json:"waiting"`
	// Delivered says more than Sent where a provider reports it; a report of failure makes it Failed.
	Delivered int `json:"delivered" doc:"Of sent: people at whom it arrived, as the provider reports; 0 where it reports nothing"`
	NoWay     int `json:"noWay" doc:"Of push: people with neither the app nor a browser that shows notices"`
}

// RestByWay is whom a way would reach of those who were not reached.
type RestByWay struct {
	Way      string `json:"way" enum:"SMS,EMAIL,WHATSAPP"`
	People   int    `json:"people" doc:"With an address for it that it was not sent to yet; who turned this kind of notice off is not among them"`
	Segments int    `json:"segments" doc:"SMS that are paid for"`
	Cost     *int64 `json:"cost" doc:"Segments, or messages of WhatsApp, at the school's price, in minor units; null: there is no price, or it costs nothing"`
}

// Unreached is one who was not reached.
type Unreached struct {
	UserID   uuid.UUID `json:"userId"`
	Name     string    `json:"name"`
	Role     string    `json:"role" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN"`
	Reason   string    `json:"reason" enum:"FAILED,NO_DEVICE,TURNED_OFF,NO_WAY" doc:"FAILED: a provider refused it or was given up. NO_DEVICE: a push found neither app nor browser. TURNED_OFF: the person wants none of this kind. NO_WAY: the school's rule has no way for them"`
	Problem  string    `json:"problem" doc:"What the provider said, of FAILED"`
	HasPhone bool      `json:"hasPhone"`
	HasEmail bool      `json:"hasEmail"`
}

type unreachedRequest struct {
	aboutRecord
	Page  int `json:"page" validate:"omitempty,min=1,max=1000000"`
	Limit int `json:"limit" validate:"omitempty,min=1,max=100" doc:"20 unless given"`
}

type restRequest struct {
	aboutRecord
	Way string `json:"way" validate:"required,oneof=SMS EMAIL WHATSAPP"`
}

// Rest is how many of those who were not reached it was sent to now.
type Rest struct {
	Way      string `json:"way" enum:"SMS,EMAIL,WHATSAPP"`
	People   int    `json:"people"`
	Segments int    `json:"segments"`
	Cost     *int64 `json:"cost" doc:"null: there is no price, or it costs nothing"`
}

// reachTables are, of the newest notice about the record, or in the batch, @record, everybody it is for (person), with what became
// of it, and those who were not reached (rest). A push to the school's topic reaches those with a device (@reachable).
var reachTables = `with line as (
		select n.user_id, min(n.dedupe_key) as key, min(n.type) as type, min(n.title) as title,
			string_agg(n.body, E'\n' order by n.dedupe_key) as body,
			bool_or(n.read_at is not null) as read, n.created_at as at, (array_agg(n.student_id order by n.dedupe_key))[1] as student_id,
			(array_agg(n.record_id order by n.dedupe_key))[1] as record_id,
			(array_agg(n.batch_id))[1] as batch_id
		from notification n join (select user_id, max(created_at) as at from notification where record_id = @record or batch_id = @record
			group by user_id) x on x.user_id = n.user_id and x.at = n.created_at
		where (n.record_id = @record or n.batch_id = @record) and ` + visibleTo("n.user_id") + ` group by n.user_id, n.created_at),
	topic as (select exists (select from delivery where record_id = @record and recipient like 'school\_%' and state = 'SENT') as sent),
	way as (select l.user_id, d.channel, bool_or(d.state = 'SENT' and d.provider_id <> @nodevice) as sent,
			bool_or(d.state = 'QUEUED') as waiting, bool_or(d.state = 'FAILED') as failed, bool_or(d.provider_id = @nodevice) as no_device,
			bool_or(d.urgent) as urgent, max(d.expires_at) as expires_at,
			max(d.last_error) filter (where d.state = 'FAILED') as problem, bool_or(d.delivered_at is not null) as delivered
		from line l join delivery d on (d.record_id = @record or d.batch_id = @record) and d.user_id = l.user_id
			and d.purpose = 'NOTICE' and d.created_at >= l.at and d.recipient not like 'teacher\_%' group by l.user_id, d.channel
		union all
		select l.user_id, d.channel, d.state = 'SENT' and d.provider_id <> @nodevice, d.state = 'QUEUED', d.state = 'FAILED',
			d.provider_id = @nodevice, false, d.expires_at, case when d.state = 'FAILED' then d.last_error end, d.delivered_at is not null
		from line l join delivery d on d.user_id = l.user_id and d.record_id is null and l.key = any(d.log_keys)
			and d.batch_id is distinct from @record
		union all
		select l.user_id, case g.way when 'RULE' then 'PUSH' else g.way end, false, true, false, false, false, g.until, null, false
		from line l join digest_entry g on g.user_id = l.user_id and g.key = l.key
		union all
		select l.user_id, 'PUSH', true, false, false, false, false, null, null, false from line l, topic
			where topic.sent and l.user_id = any(@reachable::uuid[])
			and not exists (select from delivery d where d.record_id = @record and d.user_id = l.user_id and d.channel = 'PUSH'
				and d.created_at >= l.at)),
	person as (select l.*, trim(u.first_name || ' ' || u.last_name) as name, r.type as role, u.phone,
		case when u.whatsapp_since is not null then u.phone end as whatsapp, ` + address + ` as address,
			coalesce(w.sent, false) or l.read as reached, not l.read and not coalesce(w.sent, false) and coalesce(w.waiting, false) as waiting,
			coalesce(w.failed, false) as failed, coalesce(w.no_device, false) as no_device, coalesce(w.urgent, false) as urgent, w.expires_at,
			coalesce(w.problem, '') as problem, coalesce(not coalesce(c.push, q.push) and k.may_turn_off, false) as off
		from line l join app_user u on u.id = l.user_id and u.status = 'ACTIVE' join role r on r.id = u.role_id
		left join guardian p on p.user_id = u.id left join employee e on e.user_id = u.id
		left join notification_preference q on q.user_id = u.id and q.type = l.type
		left join child_preference c on c.user_id = u.id and c.student_id = l.student_id and c.type = l.type and r.type = 'PARENT'
		left join notice_rule k on k.type = l.type
		left join (select user_id, bool_or(sent) as sent, bool_or(waiting) as waiting, bool_or(failed) as failed,
			bool_or(no_device) as no_device, bool_or(urgent) as urgent, max(expires_at) as expires_at, max(problem) as problem from way
				group by user_id) w on w.user_id = l.user_id),
	message as (select p.*, x.channel, x.recipient, p.key || '/' || x.channel || '/' || x.recipient as once
		from person p, lateral (values ('SMS', p.phone), ('EMAIL', p.address), ('WHATSAPP', p.whatsapp)) x (channel, recipient)
		where not p.reached and not p.waiting and not p.off and x.recipient is not null and (p.expires_at is null or p.expires_at > @now)
			and not exists (select from suppression s where s.channel = x.channel and s.recipient = lower(x.recipient))
			and not exists (select from delivery d where d.dedupe_key = p.key || '/' || x.channel || '/' || x.recipient)),
	rest as (select distinct on (m.once) m.*, sms.segments from message m, ` + InSegments("m.title", "m.body") +
	` order by m.once, m.user_id) `

func (m *Module) reachArgs(c api.Ctx, record uuid.UUID) (pgx.NamedArgs, error) {
	reachable, _, err := m.Queue.Reachable(c, c.School.ID)
	return pgx.NamedArgs{"record": record, "reachable": reachable, "nodevice": notice.NoDevice, "now": c.Now}, err
}

func (m *Module) reach(c api.Ctx, r aboutRecord) (Reached, error) {
	args, err := m.reachArgs(c, r.RecordID)
	if err != nil {
		return Reached{}, err
	}
	out := Reached{Ways: []WayReached{}, Rest: []RestByWay{}}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: reachTables + `select @record::uuid as record_id, count(*)::int as people,
			(count(*) filter (where read))::int as read,
			(count(*) filter (where reached))::int as reached, (count(*) filter (where waiting))::int as waiting,
			(count(*) filter (where not reached and not waiting))::int as not_reached from person`,
			Args: []any{args}, Scan: tenancy.Row(&out)},
		tenancy.Query{SQL: reachTables + `select channel as way, (count(*) filter (where sent))::int as sent,
			(count(*) filter (where failed and not sent and not waiting))::int as failed,
			(count(*) filter (where waiting and not sent))::int as waiting,
			(count(*) filter (where delivered))::int as delivered, (count(*) filter (where no_device and not sent))::int as no_way
			from way group by channel order by array_position(array['PUSH', 'WHATSAPP', 'SMS', 'EMAIL'], channel)`,
			Args: []any{args}, Scan: tenancy.Collect(&out.Ways)},
		tenancy.Query{SQL: reachTables + `select channel as way, count(*)::int as people,
			(sum(case channel when 'SMS' then segments else 0 end))::int as segments,
			case when channel = 'SMS' and s.sms_price > 0 then sum(segments) * s.sms_price
				when channel = 'WHATSAPP' and s.whatsapp_price > 0 then count(*) * s.whatsapp_price end as cost
			from rest, school_setting s group by channel, s.sms_price, s.whatsapp_price
			order by array_position(array['WHATSAPP', 'SMS', 'EMAIL'], channel)`,
			Args: []any{args}, Scan: tenancy.Collect(&out.Rest)})
	if err != nil {
		return out, fmt.Errorf("reading whom a notice reached: %w", err)
	}
	return out, nil
}

func (m *Module) unreached(c api.Ctx, r unreachedRequest) (api.Page[Unreached], error) {
	out := api.Page[Unreached]{Items: []Unreached{}, Page: max(1, r.Page), Limit: r.Limit}
	if out.Limit == 0 {
		out.Limit = 20
	}
	args, err := m.reachArgs(c, r.RecordID)
	if err != nil {
		return out, err
	}
	args["limit"], args["offset"] = out.Limit, (out.Page-1)*out.Limit
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: reachTables + `select count(*) from person where not reached and not waiting`, Args: []any{args},
			Scan: tenancy.One(&out.Total)},
		tenancy.Query{SQL: reachTables + `select user_id, name, role,
			case when failed then 'FAILED' when off then 'TURNED_OFF' when no_device then 'NO_DEVICE' else 'NO_WAY' end as reason,
			case when failed then problem else '' end as problem, phone is not null as has_phone, address is not null as has_email
			from person where not reached and not waiting order by name, user_id limit @limit offset @offset`,
			Args: []any{args}, Scan: tenancy.Collect(&out.Items)})
	if err != nil {
		return out, fmt.Errorf("reading whom a notice did not reach: %w", err)
	}
	out.TotalPages = (out.Total + out.Limit - 1) / out.Limit
	return out, nil
}

// RestQueued is the fact that a notice was queued for those it had not reached.
const RestQueued = "notices.rest-queued"

// sendToRest sends the newest notice about a record to those whom it did not reach, by one way. Nobody gets it twice by it:
// the message has the key that the rule's own would have.
func (m *Module) sendToRest(c api.Ctx, r restRequest) (Rest, error) {
	if err := m.Ready(r.Way); err != nil {
		return Rest{}, err
	}
	budget, err := notice.ReadSMSBudget(c)
	if err != nil {
		return Rest{}, err
	}
	args, err := m.reachArgs(c, r.RecordID)
	if err != nil {
		return Rest{}, err
	}
	args["way"], args["zone"] = r.Way, c.School.TimeZone
	var sent []struct{ Segments int }
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: reachTables + `, ` + awake("@now", "@zone") + `
		insert into delivery (id, channel, recipient, user_id, purpose, type, record_id, student_id, title, body, badge, segments,
			dedupe_key, urgent, expires_at, next_at, created_at, batch_id)
		select gen_random_uuid(), r.channel, r.recipient, r.user_id, 'NOTICE', r.type, r.record_id, r.student_id, r.title, r.body, 1,
			r.segments, r.once, r.urgent, r.expires_at, case when r.urgent then @now::timestamptz else awake.at end, @now::timestamptz,
			r.batch_id
		from rest r, awake where r.channel = @way on conflict (dedupe_key) do nothing returning segments`,
		Args: []any{args}, Scan: tenancy.Collect(&sent)})
	if err != nil {
		return Rest{}, fmt.Errorf("sending a notice to those it did not reach: %w", err)
	}
	out := Rest{Way: r.Way, People: len(sent)}
	if len(sent) == 0 {
		c.Unchanged()
		return out, nil
	}
	if r.Way == "SMS" {
		for _, s := range sent {
			out.Segments += s.Segments
		}
		if err := budget.Refuse(out.Segments); err != nil {
			return Rest{}, err
		}
		if budget.Price > 0 {
			cost := int64(out.Segments) * budget.Price
			out.Cost = &cost
		}
	}
	if r.Way == "WHATSAPP" {
		if err := budget.RefuseWhatsApp(out.People); err != nil {
			return Rest{}, err
		}
		if budget.WhatsAppPrice > 0 {
			cost := int64(out.People) * budget.WhatsAppPrice
			out.Cost = &cost
		}
	}
	c.Changed("send to the rest", "notification", r.RecordID, nil, out)
	c.Tell(events.Fact{Kind: RestQueued, Data: map[string]any{"recordId": r.RecordID}})
	return out, nil
}
