package sso

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/delivery/webpush"
)

// Kind is whose rules hold for what proves an e-mail.
type Kind string

// The kinds of providers.
const (
	Google    Kind = "GOOGLE"
	Microsoft Kind = "MICROSOFT"
	Other     Kind = "OTHER"
)

// GoogleIssuer is Google's, the same for all organizations.
const GoogleIssuer = "https://accounts.google.com"

// microsoftHosts are those of Microsoft Entra, in all of its clouds.
var microsoftHosts = []string{"login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn",
	"login.windows.net", "sts.windows.net", "login.microsoft.com", "login.live.com"}

// KindOf is whose an issuer is.
func KindOf(issuer string) Kind {
	u, err := url.Parse(issuer)
	switch {
	case err != nil:
		return Other
	case strings.EqualFold(u.Hostname(), "accounts.google.com"):
		return Google
	case slices.Contains(microsoftHosts, strings.ToLower(u.Hostname())):
		return Microsoft
	}
	return Other
}

// tenantOf is the organization that a Microsoft issuer names; empty: none, so that anybody's would be believed.
func tenantOf(issuer string) string {
	u, err := url.Parse(issuer)
	if err != nil {
		return ""
	}
	tenant, rest, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if _, err := uuid.Parse(tenant); err != nil || len(tenant) != 36 || rest != "v2.0" || tenant == personalAccounts {
		return ""
	}
	return tenant
}

// personalAccounts is the tenant of Microsoft's private customers, who have one in common.
const personalAccounts = "9188040d-6c67-4c5b-b112-36a304b66dad"

// CheckIssuer says what is wrong with an issuer's address, or nothing. What a name leads to is checked when it is called.
func (c *Client) CheckIssuer(issuer string) error {
	if err := c.checkAddress(issuer); err != nil || strings.ContainsAny(issuer, "?# ") {
		return ErrAddress
	}
	switch KindOf(issuer) {
	case Google:
		if issuer != GoogleIssuer {
			return ErrAddress
		}
	case Microsoft:
		if tenantOf(issuer) == "" {
			return ErrTenant
		}
	}
	return nil
}

func (c *Client) checkAddress(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return ErrAddress
	}
	if ip, err := netip.ParseAddr(u.Hostname()); c.loopback && err == nil && ip.Unmap().IsLoopback() && u.User == nil &&
		(u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	if webpush.CheckEndpoint(text) != nil {
		return ErrAddress
	}
	return nil
}

// claims are what an ID token or userinfo says of somebody.
type claims struct {
	Email        string `json:"email"`
	Verified     truth  `json:"email_verified"`
	Organization string `json:"hd"`       // Google: the Workspace that the account belongs to
	Tenant       string `json:"tid"`      // Microsoft
	DomainOwner  truth  `json:"xms_edov"` // Microsoft: the e-mail's domain is one that the tenant has proven to own
	Party        string `json:"azp"`
	AuthTime     int64  `json:"auth_time"`
}

// truth is a claim that providers write as true, "true", 1 or "1".
type truth bool

// UnmarshalJSON takes what else there is for false.
func (t *truth) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*t = v == true || v == "true" || v == "1" || v == float64(1)
	return nil
}

// proven is the e-mail, if the provider may vouch for it. That the claim email is there says nothing: at Microsoft the holder of
// an account may write any address there, and at Google an address outside of the Workspace may have another owner by now.
func (s claims) proven(p Provider) (string, error) {
	email := strings.TrimSpace(s.Email)
	if email == "" {
		return "", ErrUnproven
	}
	for _, r := range email {
		if r > '~' || r <= ' ' { // other letters could become these in lower case
			return "", ErrDomain
		}
	}
	email = strings.ToLower(email)
	name, domain, ok := strings.Cut(email, "@")
	if !ok || name == "" || !slices.Contains(p.Domains, domain) {
		return "", ErrDomain
	}
	switch KindOf(p.Issuer) {
	case Microsoft:
		if !strings.EqualFold(s.Tenant, tenantOf(p.Issuer)) || !bool(s.DomainOwner) {
			return "", ErrUnproven
		}
	case Google:
		own := domain == "gmail.com" || domain == "googlemail.com"
		if !bool(s.Verified) || !own && !strings.EqualFold(s.Organization, domain) {
			return "", ErrUnproven
		}
	default:
		if !bool(s.Verified) {
			return "", ErrUnproven
		}
	}
	return email, nil
}
