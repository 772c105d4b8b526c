package signin

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/events"
	"homeroom/tenancy"
)

// ProviderFields are what the office says of an identity provider.
type ProviderFields struct {
	Name     string   `json:"name" validate:"name,max=60" doc:"On the button of the sign-in page" example:"Google"`
	Issuer   string   `json:"issuer" validate:"required,max=500" doc:"The provider's address. Google: https://accounts.google.com; Microsoft: https://login.microsoftonline.com/<tenant id>/v2.0" example:"https://accounts.google.com"`
	ClientID string   `json:"clientId" label:"Client ID" validate:"required,max=300" example:"1234.apps.googleusercontent.com"`
	Domains  []string `json:"domains" gorm:"serializer:json" label:"E-mail domains" validate:"required,min=1,max=20,dive,max=253" doc:"Only e-mails of these may sign in" example:"[\"green-valley.example.org\"]"`
	Status   string   `json:"status" validate:"omitempty,oneof=ON OFF" enum:"ON,OFF" doc:"ON unless given. OFF: nobody signs in by it, and sessions by it end"`
}

// Provider is an identity provider.
type Provider struct {
	api.Record
	ProviderFields
}

// TableName is where identity providers are.
func (Provider) TableName() string { return "sign_in_provider" }

// ProviderDetail is an identity provider with what has to be entered there.
type ProviderDetail struct {
	Provider
	RedirectURL    string `json:"redirectUrl" label:"Redirect address" gorm:"-" doc:"Enter it at the provider, exactly so"`
	AppRedirectURL string `json:"appRedirectUrl" label:"Redirect address of the app" gorm:"-" doc:"Enter it there too, if teachers and drivers are to sign in to the app"`
	AppURL         string `json:"appUrl" label:"Sign-in page of the app" gorm:"-" doc:"A link for the school's teachers and drivers"`
	SignInURL      string `json:"signInUrl" label:"Sign-in page" gorm:"-" doc:"The school's sign-in page: a link for its staff"`
}

type newProvider struct {
	ProviderFields
	ClientSecret string `json:"clientSecret" label:"Client secret" validate:"required,max=1000" doc:"Kept encrypted, and never shown again"`
}

type providerChange struct {
	ID uuid.UUID `path:"id"`
	api.Change[ProviderFields]
}

type byID struct {
	ID uuid.UUID `path:"id"`
}

var providerListing = api.Listing{
	Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
	Default: "name",
	Filters: map[string]api.Filter{"search": api.Search("name", "issuer"), "status": api.ByEnum("status", "ON", "OFF")},
}

// maxProviders is how many a school may have: each is a button.
const maxProviders = 10

// create adds an identity provider. Its secret is kept before it is committed: one without a provider is deleted later.
func (m *Module) create(c api.Ctx, r newProvider) (ProviderDetail, error) {
	p := Provider{ProviderFields: r.ProviderFields}
	if p.Status == "" {
		p.Status = "ON"
	}
	if err := m.checkFields(c, &p); err != nil {
		return ProviderDetail{}, err
	}
	var n int64
	if err := c.DB.Model(&Provider{}).Count(&n).Error; err != nil {
		return ProviderDetail{}, fmt.Errorf("counting identity providers: %w", err)
	}
	if n >= maxProviders {
		return ProviderDetail{}, api.Conflict("A school has at most %d identity providers", maxProviders)
	}
	if err := api.Insert(c, "sign-in provider", &p); err != nil {
		return ProviderDetail{}, err
	}
	return m.detail(c, p), m.Providers.KeepProviderSecret(c, c.School.ID, p.ID, r.ClientSecret)
}

var domainForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// checkFields normalizes what the office entered, and refuses who may not give away all that administrators may do: a provider
// can say of anybody that they are one of them.
func (m *Module) checkFields(c api.Ctx, p *Provider) error {
	if err := mayImpersonate(c); err != nil {
		return err
	}
	p.Issuer, p.ClientID = strings.TrimSpace(p.Issuer), strings.TrimSpace(p.ClientID)
	if err := m.Providers.CheckIssuer(p.Issuer); err != nil {
		return api.InvalidField("issuer", "issuer %s", err)
	}
	var bad []api.Detail
	for i, d := range p.Domains {
		d = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(d), "@"))
		if p.Domains[i] = d; !domainForm.MatchString(d) {
			bad = append(bad, api.Detail{Field: fmt.Sprintf("domains[%d]", i), Message: "must be a domain like green-valley.example.org"})
		}
	}
	if bad != nil {
		return api.Invalid(bad...)
	}
	slices.Sort(p.Domains)
	p.Domains = slices.Compact(p.Domains)
	return nil
}

// mayImpersonate refuses who may not give somebody each of the roles of administrators.
func mayImpersonate(c api.Ctx) error {
	var roles []uuid.UUID
	err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select id from role where type = 'SCHOOL_ADMIN'`, Scan: tenancy.Values(&roles)})
	if err != nil {
		return fmt.Errorf("reading the roles: %w", err)
	}
	return c.CheckGrant(roles...)
}

func (m *Module) detail(c api.Ctx, p Provider) ProviderDetail {
	return ProviderDetail{Provider: p, RedirectURL: m.Redirect(m.PublicURL, p.ID, false),
		AppRedirectURL: m.Redirect(m.PublicURL, p.ID, true),
		AppURL:         strings.TrimSuffix(m.PublicURL, "/") + "/app/?school=" + c.School.ID.String(),
		SignInURL:      strings.TrimSuffix(m.PublicURL, "/") + "/console/?school=" + c.School.ID.String()}
}

func (m *Module) list(c api.Ctx, l api.ListRequest) (api.Page[Provider], error) {
	return api.Fetch[Provider](c.DB.Model(&Provider{}), l)
}

func (m *Module) get(c api.Ctx, r byID) (ProviderDetail, error) {
	p, err := api.Find[Provider](c, "sign-in provider", c.DB, r.ID)
	return m.detail(c, p), err
}

// update changes an identity provider. One that is switched off, or is another from then on, ends what was begun by it.
func (m *Module) update(c api.Ctx, r providerChange) (ProviderDetail, error) {
	ended := false
	p, err := api.Update(c, "sign-in provider", r.ID, func(p *Provider) error {
		before := *p
		if err := r.Apply(&p.ProviderFields); err != nil {
			return err
		}
		if p.Status == "" { // null: as it is
			p.Status = before.Status
		}
		another := p.Issuer != before.Issuer || p.ClientID != before.ClientID
		ended = another || p.Status == "OFF" && before.Status == "ON"
		if err := m.checkFields(c, p); err != nil {
			return err
		}
		if ended {
			return endSessions(c, p.ID, another)
		}
		return nil
	})
	return m.detail(c, p), err
}

// endSessions has the sessions of those end who signed in by the provider. Of another provider they are other identities: the
// links go too.
func endSessions(c api.Ctx, provider uuid.UUID, unlink bool) error {
	var users []uuid.UUID
	sql := `select user_id from sign_in_link where provider_id = $1`
	if unlink {
		sql = `delete from sign_in_link where provider_id = $1 returning user_id`
	}
	if err := tenancy.Pipeline(c.DB, tenancy.Query{SQL: sql, Args: []any{provider}, Scan: tenancy.Values(&users)}); err != nil {
		return fmt.Errorf("ending what was begun by an identity provider: %w", err)
	}
	tellRevoked(c, users)
	return nil
}

// revoked is the fact that users have lost their link: auth's.
const revoked = "sign-in.revoked"

func tellRevoked(c api.Ctx, users []uuid.UUID) {
	if len(users) > 0 {
		c.Tell(events.Fact{Kind: revoked, Data: map[string]any{"userIds": users}})
	}
}

type newSecret struct {
	ID           uuid.UUID `path:"id"`
	ClientSecret string    `json:"clientSecret" label:"Client secret" validate:"required,max=1000"`
}

func (m *Module) renewSecret(c api.Ctx, r newSecret) (ProviderDetail, error) {
	if err := mayImpersonate(c); err != nil {
		return ProviderDetail{}, err
	}
	p, err := m.get(c, byID{r.ID})
	if err != nil {
		return p, err
	}
	c.Changed("renew secret", "sign-in provider", p.ID, nil, nil)
	return p, m.Providers.KeepProviderSecret(c, c.School.ID, p.ID, r.ClientSecret)
}

func (m *Module) remove(c api.Ctx, r byID) error {
	p, err := api.Lock[Provider](c, "sign-in provider", r.ID)
	if err != nil {
		return err
	}
	if err := endSessions(c, p.ID, true); err != nil {
		return err
	}
	if err := c.DB.Where("id = ?", p.ID).Delete(&Provider{}).Error; err != nil {
		return fmt.Errorf("deleting an identity provider: %w", err)
	}
	c.Changed("delete", "sign-in provider", p.ID, p, nil)
	return nil
}

type checkRequest struct {
	Issuer string `json:"issuer" validate:"required,max=500" example:"https://accounts.google.com"`
}

// check asks an identity provider. It is a read, which has no transaction: the provider may take seconds.
func (m *Module) check(c api.Ctx, r checkRequest) (api.Nothing, error) {
	if err := m.Providers.CheckProvider(c, strings.TrimSpace(r.Issuer)); err != nil {
		return api.Nothing{}, api.InvalidField("issuer", "issuer: %s", err)
	}
	return api.Nothing{}, nil
}

// clear deletes secrets of providers that are gone.
func (m *Module) clear(ctx context.Context, at api.SchoolWork) error {
	ids := []uuid.UUID{}
	err := tenancy.Pipeline(at.DB, tenancy.Query{SQL: `select id from sign_in_provider`, Scan: tenancy.Values(&ids)})
	if err != nil {
		return fmt.Errorf("reading the identity providers: %w", err)
	}
	if ids == nil {
		ids = []uuid.UUID{}
	}
	return m.Providers.DropProviderSecrets(ctx, at.School.ID, ids)
}
