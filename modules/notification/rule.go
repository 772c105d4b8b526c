package notification

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// urgentRule is of accidents, missing children, closures and urgent announcements, whatever their type.
const urgentRule = "URGENT"

// Rule is by which ways notices of one type are sent.
type Rule struct {
	Type        string   `json:"type" validate:"oneof=URGENT DIGEST ANNOUNCEMENT ATTENDANCE RESULT FEE LEAVE_REQUEST MESSAGE TRANSPORT LIBRARY TIMETABLE EXAM EVENT" doc:"URGENT: accidents, missing children, a holiday that begins within 24 hours and urgent announcements. DIGEST: by which ways digests are sent"`
	Ways        []string `json:"ways" validate:"min=1,max=4,unique,dive,oneof=PUSH SMS EMAIL WHATSAPP" doc:"One after another, until one reaches; PUSH first or not at all. WHATSAPP reaches those who have agreed to it"`
	WaitMinutes *int     `json:"waitMinutes" validate:"omitempty,min=1,max=1440" doc:"After how long unread the next way is tried; null: only when a way reaches nobody"`
	MayTurnOff  bool     `json:"mayTurnOff" doc:"Whether a person may have none of it"`
	Digest      bool     `json:"digest" doc:"It can wait: a person gets one message a day of all such notices, at digestAt of the settings. What is urgent, or of no use by then, is sent at once. Not of URGENT and DIGEST"`
}

// RuleInUse is a rule, with what came of it.
type RuleInUse struct {
	Rule
	LastMonth RuleUse `json:"lastMonth"`
}

// RuleUse is how people were told in the last 30 days.
type RuleUse struct {
	Pushes     int   `json:"pushes" doc:"To users; those to topics are not counted"`
	NotReached int   `json:"notReached" doc:"Pushes to people with neither app nor browser: as many would go by the next way"`
	Segments   int   `json:"segments" doc:"SMS that were paid for"`
	SMSCost    int64 `json:"smsCost" doc:"Segments at the school's price, in minor units"`
	Emails     int   `json:"emails"`
	// WhatsApps are counted by message: a template has no segments.
	WhatsApps    int   `json:"whatsApps" db:"whatsapps"`
	WhatsAppCost int64 `json:"whatsAppCost" db:"whatsapp_cost" doc:"Messages at the school's price, in minor units"`
}

// Rules are those of every kind of thing.
type Rules struct {
	Rules         []RuleInUse `json:"rules" db:"-"`
	Parents       int         `json:"parents" doc:"Active accounts of parents"`
	Unreachable   int         `json:"unreachable" doc:"Parents whom no push can reach: they have neither the app nor a browser that shows notices"`
	SMSPrice      int64       `json:"smsPrice" doc:"Of one segment, in minor units; 0: it was not set, and costs cannot be said"`
	SMSDailyLimit int         `json:"smsDailyLimit"`
	WhatsAppPrice int64       `json:"whatsAppPrice" db:"whatsapp_price" doc:"Of one message, in minor units; 0: it was not set"`
	// WhatsAppDailyLimit counts messages.
	WhatsAppDailyLimit int    `json:"whatsAppDailyLimit" db:"whatsapp_daily_limit"`
	DigestAt           string `json:"digestAt" db:"digest_at" doc:"When digests are sent; empty: there are none"`
}

type rulesChange struct {
	Rules []Rule `json:"rules" validate:"required,min=1,max=20,dive"`
}

const selectRules = `select k.type, k.ways, k.wait_minutes, k.may_turn_off, k.digest, coalesce(u.pushes, 0) as pushes,
		coalesce(u.not_reached, 0) as not_reached,
		coalesce(u.segments, 0) as segments, coalesce(u.segments, 0) * s.sms_price as sms_cost, coalesce(u.emails, 0) as emails,
		coalesce(u.whatsapps, 0) as whatsapps, coalesce(u.whatsapps, 0) * s.whatsapp_price as whatsapp_cost
	from notice_rule k cross join school_setting s left join (
		select rule, count(*) filter (where channel = 'PUSH' and state = 'SENT' and provider_id <> $2) as pushes,
			count(*) filter (where channel = 'PUSH' and (state = 'FAILED' or provider_id = $2)) as not_reached,
			sum(segments) filter (where channel = 'SMS' and state = 'SENT') as segments,
			count(*) filter (where channel = 'EMAIL' and state = 'SENT') as emails,
			count(*) filter (where channel = 'WHATSAPP' and state = 'SENT') as whatsapps
		from delivery where rule is not null and created_at > $1 group by rule) u on u.rule = k.type
	order by array_position(array['URGENT', 'ATTENDANCE', 'TRANSPORT', 'ANNOUNCEMENT', 'MESSAGE', 'TIMETABLE', 'EXAM', 'EVENT', 'RESULT',
		'FEE', 'LEAVE_REQUEST', 'LIBRARY', 'DIGEST'], k.type)`

func (m *Module) getRules(c api.Ctx, _ api.Nothing) (Rules, error) {
	reachable, _, err := m.Queue.Reachable(c, c.School.ID)
	if err != nil {
		return Rules{}, err
	}
	var out Rules
	var found []struct {
		Rule
		RuleUse
	}
	err = tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: selectRules, Args: []any{c.Now.AddDate(0, 0, -30), notice.NoDevice}, Scan: tenancy.Collect(&found)},
		tenancy.Query{SQL: `select count(u.id) as parents, count(u.id) filter (where u.id <> all($1::uuid[])) as unreachable,
				s.sms_price, s.sms_daily_limit, s.whatsapp_price, s.whatsapp_daily_limit, coalesce(to_char(s.digest_at, 'HH24:MI'), '') as digest_at
			from school_setting s left join (app_user u join role r on r.id = u.role_id and r.type = 'PARENT') on u.status = 'ACTIVE'
			group by s.id`, Args: []any{reachable}, Scan: tenancy.Row(&out)})
	if err != nil {
		return Rules{}, fmt.Errorf("reading rules of notices: %w", err)
	}
	for _, f := range found {
		out.Rules = append(out.Rules, RuleInUse{f.Rule, f.RuleUse})
	}
	return out, nil
}

// putRules changes the kinds that are named.
func (m *Module) putRules(c api.Ctx, r rulesChange) (Rules, error) {
	named := make([]string, len(r.Rules))
	for i, k := range r.Rules {
		if slices.Contains(named[:i], k.Type) {
			return Rules{}, api.InvalidField(fmt.Sprintf("rules[%d].type", i), "type must not repeat")
		}
		if at := slices.Index(k.Ways, "PUSH"); at > 0 {
			return Rules{}, api.InvalidField(fmt.Sprintf("rules[%d].ways", i), "PUSH comes first")
		}
		if k.Digest && (k.Type == urgentRule || k.Type == digestRule) {
			return Rules{}, api.InvalidField(fmt.Sprintf("rules[%d].digest", i), "%s does not wait for a digest", k.Type)
		}
		named[i] = k.Type
	}
	body, err := json.Marshal(r.Rules)
	if err != nil {
		return Rules{}, err
	}
	var before []Rule
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select type, ways, wait_minutes, may_turn_off, digest from notice_rule
		where type = any($1) order by array_position($1, type) for update`, Args: []any{named}, Scan: tenancy.Collect(&before)})
	if err != nil {
		return Rules{}, fmt.Errorf("reading rules of notices: %w", err)
	}
	if reflect.DeepEqual(before, r.Rules) {
		c.Unchanged()
		return m.getRules(c, api.Nothing{})
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `update notice_rule k set ways = r.ways, wait_minutes = r.wait, may_turn_off = r.off,
		digest = r.digest
		from (select r->>'type' as type, array(select jsonb_array_elements_text(r->'ways')) as ways, (r->>'waitMinutes')::int as wait,
			(r->>'mayTurnOff')::boolean as off, (r->>'digest')::boolean as digest
		from jsonb_array_elements($1::jsonb) r) r where k.type = r.type`, Args: []any{string(body)}})
	if err != nil {
		return Rules{}, fmt.Errorf("changing rules of notices: %w", err)
	}
	c.Changed("update", "notice_rule", c.School.ID, rulesChange{before}, r)
	return m.getRules(c, api.Nothing{})
}
