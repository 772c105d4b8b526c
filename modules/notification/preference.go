package notification

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/roster"
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

// ChildPreference is a wish about one child, which counts instead of the one for all of them.
type ChildPreference struct {
	StudentID uuid.UUID `json:"studentId" validate:"required"`
	Preference
}

// PreferencesNow are a person's wishes for every kind of thing.
type PreferencesNow struct {
	Preferences []PreferenceNow   `json:"preferences"`
	OfChildren  []ChildPreference `json:"ofChildren" doc:"What I chose for one child; everything else is as in preferences"`
	WhatsApp    bool              `json:"whatsApp" doc:"I have agreed to messages by WhatsApp"`
}

// Preferences are a person's wishes for every kind of thing.
type Preferences struct {
	Preferences []Preference  `json:"preferences" validate:"required,max=20,dive"`
	OfChildren  []childChoice `json:"ofChildren" validate:"omitempty,max=200,dive" doc:"Of one child and kind; those that are not named stay. An announcement is about no child"`
	WhatsApp    *bool         `json:"whatsApp" doc:"Whether I agree to messages by WhatsApp, where the school sends any; unchanged unless given"`
}

type childChoice struct {
	ChildPreference
	AsForAll bool `json:"asForAll" doc:"true: from now on as for all my children; the ways of this entry do not count"`
}

func getPreferences(c api.Ctx, _ api.Nothing) (PreferencesNow, error) { return preferencesOf(c) }

// preferencesOf fills in push and nothing else where nothing was said.
func preferencesOf(c api.Ctx) (PreferencesNow, error) {
	out := PreferencesNow{OfChildren: []ChildPreference{}}
	types := make([]string, len(noticeTypes))
	for i, t := range noticeTypes {
		types[i] = string(t)
	}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select whatsapp_since is not null from app_user where id = $1`, Args: []any{c.User.ID},
		Scan: tenancy.One(&out.WhatsApp)}, tenancy.Query{SQL: `select k.type, coalesce(p.push, true) as push, coalesce(p.sms, false) as sms,
			coalesce(p.email, false) as email, coalesce(p.details, false) as details, k.may_turn_off
		from notice_rule k left join notification_preference p on p.user_id = $1 and p.type = k.type
		where k.type = any($2::text[]) order by array_position($2::text[], k.type)`, Args: []any{c.User.ID, types},
		Scan: tenancy.Collect(&out.Preferences)},
		tenancy.Query{SQL: `select p.student_id, p.type, p.push, p.sms, p.email, p.details from child_preference p where p.user_id = $1
			and p.student_id in (` + roster.LinkedIDs("$1") + `) order by p.student_id, array_position($2::text[], p.type)`,
			Args: []any{c.User.ID, types}, Scan: tenancy.Collect(&out.OfChildren)})
	if err != nil {
		return out, fmt.Errorf("reading preferences: %w", err)
	}
	return out, nil
}

// checkChildren refuses a choice for somebody else's child, of a kind that is about no child, or one that is given twice.
func checkChildren(c api.Ctx, chosen []childChoice) error {
	if len(chosen) == 0 {
		return nil
	}
	var mine []uuid.UUID
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: roster.LinkedIDs("$1"), Args: []any{c.User.ID}, Scan: tenancy.Values(&mine)})
	if err != nil {
		return fmt.Errorf("reading whose parent a user is: %w", err)
	}
	for i, p := range chosen {
		at := fmt.Sprintf("ofChildren[%d].", i)
		if !slices.Contains(mine, p.StudentID) {
			return api.InvalidField(at+"studentId", "studentId is none of your children")
		}
		if p.Type == string(notice.Announcement) {
			return api.InvalidField(at+"type", "an announcement is about no child: choose for all")
		}
		if slices.ContainsFunc(chosen[:i], func(o childChoice) bool { return o.StudentID == p.StudentID && o.Type == p.Type }) {
			return api.InvalidField(at+"type", "type must not repeat for a child")
		}
	}
	return nil
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
	if err := checkChildren(c, r.OfChildren); err != nil {
		return PreferencesNow{}, err
	}
	body, err := json.Marshal(r.Preferences)
	if err != nil {
		return PreferencesNow{}, err
	}
	children, err := json.Marshal(r.OfChildren)
	if err != nil {
		return PreferencesNow{}, err
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into notification_preference (user_id, type, push, sms, email, details)
		select $1, type, push, sms, email, details
			from jsonb_to_recordset($2::jsonb) as p (type text, push boolean, sms boolean, email boolean, details boolean)
		on conflict (user_id, type) do update
		set push = excluded.push, sms = excluded.sms, email = excluded.email, details = excluded.details`, Args: []any{c.User.ID, string(body)}},
		tenancy.Query{SQL: `update app_user set whatsapp_since = case when $2::boolean then coalesce(whatsapp_since, $3::timestamptz) end
			where id = $1 and $2::boolean is not null`, Args: []any{c.User.ID, r.WhatsApp, c.Now}},
		tenancy.Query{SQL: `with chosen as (select * from jsonb_to_recordset(nullif($2::jsonb, 'null'))
				as p ("studentId" uuid, type text, push boolean, sms boolean, email boolean, details boolean, "asForAll" boolean)),
			gone as (delete from child_preference p using chosen c where p.user_id = $1 and p.student_id = c."studentId" and p.type = c.type
				and c."asForAll")
			insert into child_preference (user_id, student_id, type, push, sms, email, details)
			select $1, "studentId", type, push, sms, email, details from chosen where not "asForAll"
			on conflict (user_id, student_id, type) do update
			set push = excluded.push, sms = excluded.sms, email = excluded.email, details = excluded.details`,
			Args: []any{c.User.ID, string(children)}})
	if err != nil {
		return PreferencesNow{}, fmt.Errorf("changing preferences: %w", err)
	}
	return preferencesOf(c)
}

// OwnLanguage is in which language a person gets messages.
type OwnLanguage struct {
	Language *string `json:"language" enum:"en,hi,ar,sw" doc:"null: not chosen, the school's"`
}

type languageChoice struct {
	Language string `json:"language" validate:"required,oneof=en hi ar sw"`
}

func getLanguage(c api.Ctx, _ api.Nothing) (OwnLanguage, error) {
	var out OwnLanguage
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select language from app_user where id = $1`, Args: []any{c.User.ID},
		Scan: tenancy.Row(&out)})
	if err != nil {
		return out, fmt.Errorf("reading a person's language: %w", err)
	}
	return out, nil
}

func putLanguage(c api.Ctx, r languageChoice) (OwnLanguage, error) {
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `update app_user set language = $2 where id = $1 and language is distinct from $2`,
		Args: []any{c.User.ID, r.Language}})
	if err != nil {
		return OwnLanguage{}, fmt.Errorf("changing a person's language: %w", err)
	}
	return OwnLanguage{&r.Language}, nil
}
