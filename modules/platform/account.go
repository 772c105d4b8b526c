package platform

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// mostAccounts is how many a search shows; who sees them all has typed too little.
const mostAccounts = 50

// Account is somebody who can sign in, of any school. A phone or an e-mail that was not
// typed whole is shown in part: a search finds people, and does not list them.
type Account struct {
	ID         uuid.UUID  `json:"id"`
	UserID     uuid.UUID  `json:"userId"`
	Role       string     `json:"role" enum:"SCHOOL_ADMIN,SUPER_ADMIN,TEACHER,PARENT,DRIVER" example:"PARENT"`
	SchoolID   *uuid.UUID `json:"schoolId" doc:"null for super-admins"`
	SchoolName *string    `json:"schoolName"`
	Name       string     `json:"name" doc:"Of administrators; other people's names are known to their school only"`
	Phone      string     `json:"phone" example:"+9198•••••678"`
	Email      string     `json:"email" example:"a•••@example.org"`
	Status     string     `json:"status" enum:"ACTIVE,INACTIVE,DISABLED" example:"ACTIVE" doc:"As of administrators"`
	Sessions   int        `json:"sessions" doc:"Signed-in devices"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	CreatedAt  time.Time  `json:"createdAt"`
}

type accountQuery struct {
	Query    string     `json:"query" validate:"required,min=3,max=254" doc:"A phone with its country code, or an e-mail; or how it begins" example:"+919812"`
	Role     string     `json:"role" validate:"omitempty,oneof=SCHOOL_ADMIN SUPER_ADMIN TEACHER PARENT DRIVER"`
	SchoolID *uuid.UUID `json:"schoolId"`
}

type accountsFound struct {
	Accounts []Account `json:"accounts"`
	More     bool      `json:"more" doc:"There are more than these: type more of it"`
}

// Both sides of the OR have an index on how the text begins.
const findAccounts = `select a.id, a.user_id, a.role_type as role, a.school_id, s.name as school_name, a.name,
	coalesce(a.phone, '') as phone, coalesce(a.email, '') as email,
		case when a.barred_at is not null then 'DISABLED' when a.disabled then 'INACTIVE' else 'ACTIVE' end as status,
		(select count(*) from session x where x.account_id = a.id and x.revoked_at is null
		and x.expires_at > $5)::int as sessions, a.last_used_at, a.created_at
	from account a left join school s on s.id = a.school_id
	where (a.phone like $1 or lower(a.email) like $2) and ($3 = '' or a.role_type = $3) and ($4::uuid is null or a.school_id = $4)
	order by coalesce(a.phone = $6 or lower(a.email) = $6, false) desc, a.last_used_at desc nulls last, a.id limit $7`

func searchAccounts(c api.PlatformCtx, r accountQuery) (accountsFound, error) {
	text := strings.ToLower(strings.TrimSpace(r.Query))
	phone := strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "").Replace(text)
	if !strings.HasPrefix(phone, "+") {
		phone = "no phone begins like this" // "98" would be of every country
	} else {
		text = phone
	}
	out := accountsFound{Accounts: []Account{}}
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: findAccounts,
		Args: []any{begins(phone), begins(text), r.Role, r.SchoolID, c.Now, text, mostAccounts + 1}, Scan: tenancy.Collect(&out.Accounts)})
	if err != nil {
		return out, err
	}
	if out.More = len(out.Accounts) > mostAccounts; out.More {
		out.Accounts = out.Accounts[:mostAccounts]
	}
	for i := range out.Accounts {
		out.Accounts[i].mask(text)
	}
	return out, nil
}

// begins is the pattern of texts that begin like this one; % and _ are ordinary characters.
func begins(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// mask hides what the caller did not type. Administrators are listed with their e-mail
// anyway.
func (a *Account) mask(typed string) {
	if a.Phone != typed && len(a.Phone) > 8 {
		a.Phone = a.Phone[:5] + strings.Repeat("•", len(a.Phone)-8) + a.Phone[len(a.Phone)-3:]
	}
	name, domain, ok := strings.Cut(a.Email, "@")
	if ok && strings.ToLower(a.Email) != typed && a.Role != string(api.SchoolAdmin) && a.Role != string(api.SuperAdmin) {
		first := []rune(name)[:1]
		a.Email = string(first) + "•••@" + domain
	}
}

type revokeRequest struct {
	AccountID uuid.UUID `json:"accountId" validate:"required"`
	Reason    string    `json:"reason" validate:"max=200" doc:"Kept in the audit log"`
}

// Revoked says how many sessions ended.
type Revoked struct {
	Ended int `json:"ended"`
}

func (m *Module) revokeSessions(c api.PlatformCtx, r revokeRequest) (Revoked, error) {
	var schools []*uuid.UUID
	if err := c.DB.Table("account").Where("id = ?", r.AccountID).Pluck("school_id", &schools).Error; err != nil {
		return Revoked{}, err
	}
	if len(schools) == 0 {
		return Revoked{}, api.NotFound("account")
	}
	if schools[0] != nil {
		c = c.At(*schools[0])
	}
	ended, err := m.People.EndSessions(c, r.AccountID, "ended by a super-admin", c.Book("revoke-sessions", "account", r.AccountID, r))
	return Revoked{ended}, err
}
