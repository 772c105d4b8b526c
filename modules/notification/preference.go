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
}

// Preference is how a person wants to be told of one kind of thing. The log has it all.
type Preference struct {
	Type  string `json:"type" validate:"oneof=ANNOUNCEMENT ATTENDANCE RESULT FEE LEAVE_REQUEST MESSAGE TRANSPORT LIBRARY"`
	Push  bool   `json:"push"`
	SMS   bool   `json:"sms"`
	Email bool   `json:"email"`
}

// Preferences are a person's wishes for every kind of thing.
type Preferences struct {
	Preferences []Preference `json:"preferences" validate:"required,max=20,dive"`
}

func getPreferences(c api.Ctx, _ api.Nothing) (Preferences, error) { return preferencesOf(c) }

// preferencesOf fills in push and nothing else where nothing was said.
func preferencesOf(c api.Ctx) (Preferences, error) {
	var said []Preference
	if err := c.DB.Table("notification_preference").Select("type, push, sms, email").Where("user_id = ?", c.User.ID).Find(&said).Error; err != nil {
		return Preferences{}, fmt.Errorf("reading preferences: %w", err)
	}
	by := map[string]Preference{}
	for _, p := range said {
		by[p.Type] = p
	}
	out := Preferences{Preferences: make([]Preference, len(noticeTypes))}
	for i, t := range noticeTypes {
		p, ok := by[string(t)]
		if !ok {
			p = Preference{Type: string(t), Push: true}
		}
		out.Preferences[i] = p
	}
	return out, nil
}

// putPreferences changes the kinds that are named.
func putPreferences(c api.Ctx, r Preferences) (Preferences, error) {
	seen := map[string]bool{}
	for i, p := range r.Preferences {
		if seen[p.Type] {
			return Preferences{}, api.InvalidField(fmt.Sprintf("preferences[%d].type", i), "type must not repeat")
		}
		seen[p.Type] = true
	}
	body, err := json.Marshal(r.Preferences)
	if err != nil {
		return Preferences{}, err
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `insert into notification_preference (user_id, type, push, sms, email)
		select $1, type, push, sms, email from jsonb_to_recordset($2::jsonb) as p (type text, push boolean, sms boolean, email boolean)
		on conflict (user_id, type) do update
		set push = excluded.push, sms = excluded.sms, email = excluded.email`, Args: []any{c.User.ID, string(body)}})
	if err != nil {
		return Preferences{}, fmt.Errorf("changing preferences: %w", err)
	}
	return preferencesOf(c)
}
