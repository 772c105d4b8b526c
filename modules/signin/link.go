package signin

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Link is somebody who has signed in by an identity provider.
type Link struct {
	ID           uuid.UUID `json:"id"`
	ProviderID   uuid.UUID `json:"providerId"`
	ProviderName string    `json:"providerName" label:"Identity provider"`
	UserID       uuid.UUID `json:"userId"`
	UserName     string    `json:"userName" label:"Name"`
	Email        string    `json:"email" label:"E-mail"`
	CreatedAt    time.Time `json:"createdAt" label:"Linked"`
	LastUsedAt   time.Time `json:"lastUsedAt" label:"Last sign-in"`
}

var linkListing = api.Listing{
	Sorts:   map[string]string{"lastUsedAt": "last_used_at", "email": "email", "createdAt": "created_at"},
	Default: "-lastUsedAt",
	Filters: map[string]api.Filter{"providerId": api.ByID("provider_id"), "search": api.Search("email")},
}

const linkColumns = `id, provider_id, user_id, email, created_at, last_used_at,
	(select p.name from sign_in_provider p where p.id = provider_id) as provider_name,
	(select trim(u.first_name || ' ' || u.last_name) from app_user u where u.id = user_id) as user_name`

func listLinks(c api.Ctx, l api.ListRequest) (api.Page[Link], error) {
	return api.Fetch[Link](c.DB.Table("sign_in_link").Select(linkColumns), l)
}

// removeLink removes a link and ends the sessions by it. Who signs in by the provider again is linked again, if the e-mail still is
// the account's.
func removeLink(c api.Ctx, r byID) error {
	l, err := api.Find[Link](c, "link", c.DB.Table("sign_in_link").Select(linkColumns), r.ID)
	if err != nil {
		return err
	}
	done := c.DB.Exec(`delete from sign_in_link where id = ?`, l.ID)
	if done.Error != nil {
		return fmt.Errorf("removing a link: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return api.NotFound("link")
	}
	c.Changed("delete", "sign-in link", l.ID, l, nil)
	tellRevoked(c, []uuid.UUID{l.UserID})
	return nil
}
