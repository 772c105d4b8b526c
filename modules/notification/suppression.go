package notification

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

type aboutUser struct {
	UserID uuid.UUID `json:"userId" validate:"required"`
}

// Suppression is a channel on which nothing is sent to a person.
type Suppression struct {
	Channel   string    `json:"channel" enum:"SMS,EMAIL,WHATSAPP"`
	Recipient string    `json:"recipient" doc:"The phone or e-mail address"`
	Reason    string    `json:"reason" enum:"STOPPED,BOUNCED" doc:"STOPPED: its owner wants nothing. BOUNCED: nothing arrives there"`
	Problem   string    `json:"problem" doc:"In the provider's words"`
	CreatedAt time.Time `json:"createdAt"`
}

// Suppressions are those of a person.
type Suppressions struct {
	Items    []Suppression `json:"items"`
	WhatsApp bool          `json:"whatsApp" doc:"They have agreed to messages by WhatsApp"`
}

type agreement struct {
	aboutUser
	Agreed bool `json:"agreed"`
}

// agreeToWhatsApp notes what a person has told the office: WhatsApp wants people to have agreed before they are written to.
func agreeToWhatsApp(c api.Ctx, r agreement) (Suppressions, error) {
	var changed []uuid.UUID
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `update app_user set whatsapp_since = case when $2::boolean then $3::timestamptz end
		where id = $1 and (whatsapp_since is not null) <> $2 returning id`,
		Args: []any{r.UserID, r.Agreed, c.Now}, Scan: tenancy.Values(&changed)})
	if err != nil {
		return Suppressions{}, fmt.Errorf("noting who agreed to WhatsApp: %w", err)
	}
	if len(changed) == 0 {
		c.Unchanged()
	} else {
		c.Changed("update", "user", r.UserID, nil, r)
	}
	return suppressed(c, r.aboutUser)
}

type lifting struct {
	aboutUser
	Channel string `json:"channel" validate:"required,oneof=SMS EMAIL WHATSAPP"`
}

// ofPerson is the condition that a suppression s is of the user $1.
const ofPerson = `exists (select from app_user u left join guardian p on p.user_id = u.id left join employee e on e.user_id = u.id
	where u.id = $1 and s.recipient = case s.channel when 'EMAIL' then lower(` + address + `) else u.phone end)`

func suppressed(c api.Ctx, r aboutUser) (Suppressions, error) {
	out := Suppressions{Items: []Suppression{}}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select s.channel, s.recipient, s.reason, s.problem, s.created_at from suppression s
			where ` + ofPerson + ` order by s.channel`, Args: []any{r.UserID}, Scan: tenancy.Collect(&out.Items)},
		tenancy.Query{SQL: `select coalesce(bool_or(whatsapp_since is not null), false) from app_user where id = $1`, Args: []any{r.UserID},
			Scan: tenancy.One(&out.WhatsApp)})
	if err != nil {
		return out, fmt.Errorf("reading what a person is not sent: %w", err)
	}
	return out, nil
}

// Suppressed is a channel on which nothing is sent to an address, with whose it is.
type Suppressed struct {
	ID uuid.UUID `json:"id" doc:"Follows from the channel and the address"`
	Suppression
	UserID *uuid.UUID `json:"userId" doc:"Whose address it is; null: nobody's any more"`
	Name   string     `json:"name"`
	Role   string     `json:"role" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,''"`
}

var suppressedListing = api.Listing{
	Sorts:   map[string]string{"createdAt": "created_at", "name": "name"},
	Default: "-createdAt",
	Filters: map[string]api.Filter{
		"channel": api.ByEnum("channel", "SMS", "EMAIL", "WHATSAPP"), "reason": api.ByEnum("reason", "STOPPED", "BOUNCED"),
		"search": api.Search("name", "recipient"),
	},
}

// selectSuppressed names one person for each address: a phone may be that of several accounts.
const selectSuppressed = `select md5(s.channel || ' ' || s.recipient)::uuid as id, s.channel, s.recipient, s.reason, s.problem,
		s.created_at, o.id as user_id, coalesce(trim(o.first_name || ' ' || o.last_name), '') as name, coalesce(r.type, '') as role
	from suppression s left join app_user o on o.id = (
		select u.id from app_user u left join guardian p on p.user_id = u.id left join employee e on e.user_id = u.id
		where u.status = 'ACTIVE' and u.id = any(array(
			select id from app_user where phone = s.recipient union all
			select id from app_user where lower(email) = s.recipient union all
			select user_id from guardian where lower(email) = s.recipient and email <> '' union all
			select user_id from employee where lower(email) = s.recipient and email <> ''))
		and s.recipient = case s.channel when 'EMAIL' then lower(` + address + `) else u.phone end
		order by u.created_at, u.id limit 1)
	left join role r on r.id = o.role_id`

func listSuppressed(c api.Ctx, l api.ListRequest) (api.Page[Suppressed], error) {
	return api.Fetch[Suppressed](c.DB.Table("(?) as suppressed", c.DB.Raw(selectSuppressed)), l)
}

// liftSuppression has messages sent again to an address that works again, or whose owner has asked the office for it.
func liftSuppression(c api.Ctx, r lifting) (Suppressions, error) {
	var gone []Suppression
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `delete from suppression s where s.channel = $2 and ` + ofPerson + `
		returning s.channel, s.recipient, s.reason, s.problem, s.created_at`, Args: []any{r.UserID, r.Channel}, Scan: tenancy.Collect(&gone)})
	if err != nil {
		return Suppressions{}, fmt.Errorf("lifting a suppression: %w", err)
	}
	if len(gone) == 0 {
		c.Unchanged()
	} else {
		c.Changed("lift", "suppression", r.UserID, Suppressions{Items: gone}, nil)
	}
	return suppressed(c, r.aboutUser)
}
