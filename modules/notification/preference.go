package notification

import (
	"encoding/json"
	"fmt"

	"homeroom/api"
	"homeroom/notice"
	"homeroom/tenancy"
)

// noticeTypes are what parents can have wishes about.
var noticeTypes = []notice.Type{
	notice.Announcement, notice.Attendance, notice.Result, notice.Fee, notice.Leave, notice.Message, notice.Transport, notice.Library,
	notice.Timetable, notice.Exam, notice.Event,
}

// Preference is how a person wants to be told of one kind of thing. The log has it all.
type Preference struct {
	Type  string `json:"type" validate:"oneof=ANNOUNCEMENT ATTENDANCE RESULT FEE LEAVE_REQUEST MESSAGE TRANSPORT LIBRARY TIMETABLE EXAM EVENT"`
	Push  bool   `json:"push"`
	SMS   bool   `json:"sms"`
	Email bool   `json:"email"`
	// Details are what others have in the log alone.
	Details bool `json:"details" doc:"Of TRANSPORT: every step of a trip is sent. Else the bus is near, and the child has boarded (to school) or got off (home)"`
}

// PreferenceNow is a wish, and whether it can be one.
type PreferenceNow struct {
	Preference
	MayTurnOff bool `json:"mayTurnOff" doc:"false: the school sends it whatever push says"`
}

// PreferencesNow are a person's wishes for every kind of thing.
type PreferencesNow struct {
	Preferences []PreferenceNow `json:"preferences"`
	WhatsApp    bool            `json:"whatsApp" doc:"I have agreed to messages by WhatsApp"`
}

// Preferences are a person's wishes for every kind of thing.
type Preferences struct {
	Preferences []Preference `json:"preferences" validate:"required,max=20,dive"`
	WhatsApp    *bool        `json:"whatsApp" doc:"Whether I agree to messages by WhatsApp, where the school sends any; unchanged unless given"`
}

func getPreferences(c api.Ctx, _ api.Nothing) (PreferencesNow, error) { return preferencesOf(c) }

// preferencesOf fills in push and nothing else where nothing was said.
func preferencesOf(c api.Ctx) (PreferencesNow, error) {
	out := PreferencesNow{}
	types := make([]string, len(noticeTypes))
	for i, t := range noticeTypes {
		types[i] = string(t)
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select whatsapp_since is not null from app_user where id = $1`, Args: []any{c.User.ID},
		Scan: tenancy.One(&out.WhatsApp)}, tenancy.Query{SQL: `select k.type, coalesce(p.push, true) as push, coalesce(p.sms, false) as sms,
			coalesce(p.email, false) as email, coalesce(p.details, false) as details, k.may_turn_off
		from notice_rule k left join notification_preference p on p.user_id = $1 and p.type = k.type
		where k.type = any($2::text[]) order by array_position($2::text[], k.type)`, Args: []any{c.User.ID, types},
		Scan: tenancy.Collect(&out.Preferences)})
	if err != nil {
		return out, fmt.Errorf("reading preferences: %w", err)
	}
	return out, nil
}

// putPreferences changes the kinds that are named.
func putPreferences(c api.Ctx, r Preferences) (PreferencesNow, error) {
	seen := map[string]bool{}
	for i, p := range r.Preferences {
		if seen[p.Type] {
			return PreferencesNow{}, api.InvalidField(fmt.Sprintf("preferences[%d].type", i), "type must not repeat")
		}
		seen[p.Type] = true
	}
	body, err := json.Marshal(r.Preferences)
	if err != nil {
		return PreferencesNow{}, err
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into notification_preference (user_id, type, push, sms, email, details)
		select $1, type, push, sms, email, details
			from jsonb_to_recordset($2::jsonb) as p (type text, push boolean, sms boolean, email boolean, details boolean)
		on conflict (user_id, type) do update
		set push = excluded.push, sms = excluded.sms, email = excluded.email, details = excluded.details`, Args: []any{c.User.ID, string(body)}},
		tenancy.Query{SQL: `update app_user set whatsapp_since = case when $2::boolean then coalesce(whatsapp_since, $3::timestamptz) end
			where id = $1 and $2::boolean is not null`, Args: []any{c.User.ID, r.WhatsApp, c.Now}})
	if err != nil {
		return PreferencesNow{}, fmt.Errorf("changing preferences: %w", err)
	}
	return preferencesOf(c)
}
