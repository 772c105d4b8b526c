// Package sso asks the identity provider of a school who somebody is (OpenID Connect): where a browser is sent, what the
// provider's answer proves, and whose e-mail that is. It knows no accounts and keeps nothing but what providers publish.
package sso

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/oauth2"
)

// Provider is a school's identity provider, as its office entered it.
type Provider struct {
	Issuer   string
	ClientID string
	Secret   string
	Domains  []string // of the e-mails that may sign in, in lower case
	Redirect string   // where it sends the browser back to; no other provider has the same
}

// Attempt is one sign-in, from the moment a browser is sent away. All three are random; the verifier and the nonce never
// leave the service before the browser is back.
type Attempt struct {
	State    string
	Nonce    string
	Verifier string // of PKCE
}

// Identity is who a provider says somebody is.
type Identity struct {
	Subject string
	Email   string    // proven, and of one of the provider's domains
	At      time.Time // when they were last asked for a password or the like; zero: the provider does not say
}

// What can be wrong with a provider or with its answer. What exactly goes to the log: a provider's own words are not shown,
// since an office could read with them what it cannot reach.
var (
	ErrAddress     = errors.New("must be an https address on the internet, without a query")
	ErrTenant      = errors.New("must name one organization: https://login.microsoftonline.com/<tenant id>/v2.0")
	ErrUnreachable = errors.New("the identity provider does not answer as it should")
	ErrOtherIssuer = errors.New("the identity provider calls itself by another address")
	ErrInvalid     = errors.New("the answer of the identity provider does not hold")
	ErrUnproven    = errors.New("the identity provider does not say that the e-mail is proven")
	ErrDomain      = errors.New("the e-mail is of another domain")
)

const (
	// keepProvider is how long what a provider publishes of itself is kept; keepFailure, that it could not be read.
	keepProvider = time.Hour
	keepFailure  = 10 * time.Second
	maxProviders = 1000
	maxAnswer    = 1 << 20 // bytes
	// timeout is for each call of a provider.
	timeout = 10 * time.Second
)

// Client talks to identity providers.
type Client struct {
	http     *http.Client
	loopback bool
	clock    func() time.Time
	known    *lru.Cache[string, published]
}

// published is what a provider publishes of itself.
type published struct {
	*oidc.Provider
	meta
	err   error
	until time.Time
}

// meta is the part of it that the library does not read.
type meta struct {
	JWKS        string   `json:"jwks_uri"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	SaysIssuer  bool     `json:"authorization_response_iss_parameter_supported"`
}

// New makes a client. The http client is to reach addresses on the internet only and to follow no redirects: offices name
// the addresses. loopback allows addresses of this machine, by http too.
func New(client *http.Client, loopback bool, clock func() time.Time) *Client {
	known, err := lru.New[string, published](maxProviders)
	if err != nil {
		panic(err) // the size is a constant
	}
	bounded := *client
	bounded.Transport = boundedTransport{client.Transport}
	bounded.Timeout = timeout
	return &Client{http: &bounded, loopback: loopback, clock: clock, known: known}
}

// boundedTransport reads no more of an answer than maxAnswer.
type boundedTransport struct{ next http.RoundTripper }

func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

// Check asks a provider once what it publishes of itself, and says what is wrong with it.
func (c *Client) Check(ctx context.Context, issuer string) error {
	if err := c.CheckIssuer(issuer); err != nil {
		return err
	}
	c.known.Remove(issuer)
	_, err := c.find(ctx, issuer)
	return err
}

// Address is where a browser is sent to sign in.
func (c *Client) Address(ctx context.Context, p Provider, a Attempt) (string, error) {
	at, err := c.find(ctx, p.Issuer)
	if err != nil {
		return "", err
	}
	return at.config(p).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), nil
}

// Exchange changes the code that a browser came back with for the identity behind it. from is the issuer that the browser was
// told, if it was.
func (c *Client) Exchange(ctx context.Context, p Provider, a Attempt, code, from string) (Identity, error) {
	at, err := c.find(ctx, p.Issuer)
	if err != nil {
		return Identity{}, err
	}
	if from != p.Issuer && (from != "" || at.SaysIssuer) {
		return Identity{}, fmt.Errorf("%w: the browser came from another issuer", ErrInvalid)
	}
	ctx = oidc.ClientContext(ctx, c.http)
	tokens, err := at.config(p).Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) && refused.Response.StatusCode < 500 {
			return Identity{}, fmt.Errorf("%w: the code was refused with %d %s", ErrInvalid, refused.Response.StatusCode, refused.ErrorCode)
		}
		return Identity{}, fmt.Errorf("%w: changing a code: %w", ErrUnreachable, err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := at.Verifier(&oidc.Config{ClientID: p.ClientID, Now: c.clock}).Verify(ctx, raw)
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(a.Nonce)) != 1 {
		return Identity{}, fmt.Errorf("%w: the nonce is another", ErrInvalid)
	}
	if token.AccessTokenHash != "" {
		if err := token.VerifyAccessToken(tokens.AccessToken); err != nil {
			return Identity{}, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	var said claims
	if err := token.Claims(&said); err != nil {
		return Identity{}, fmt.Errorf("%w: reading its claims: %w", ErrInvalid, err)
	}
	if said.Party != "" && said.Party != p.ClientID || said.Party == "" && len(token.Audience) > 1 {
		return Identity{}, fmt.Errorf("%w: it is for another client", ErrInvalid)
	}
	if said.Email == "" && at.UserInfoEndpoint() != "" {
		if err := c.ask(ctx, at, tokens, token.Subject, &said); err != nil {
			return Identity{}, err
		}
	}
	id := Identity{Subject: token.Subject}
	if said.AuthTime > 0 {
		id.At = time.Unix(said.AuthTime, 0)
	}
	if id.Subject == "" || len(id.Subject) > 255 {
		return Identity{}, fmt.Errorf("%w: it has no subject", ErrInvalid)
	}
	id.Email, err = said.proven(p)
	return id, err
}

// ask reads the claims that a provider keeps for its userinfo endpoint.
func (c *Client) ask(ctx context.Context, at published, tokens *oauth2.Token, subject string, said *claims) error {
	info, err := at.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return fmt.Errorf("%w: asking for the e-mail: %w", ErrUnreachable, err)
	}
	if info.Subject != subject {
		return fmt.Errorf("%w: userinfo is of another subject", ErrInvalid)
	}
	var more claims
	if err := info.Claims(&more); err != nil {
		return fmt.Errorf("%w: reading userinfo: %w", ErrInvalid, err)
	}
	said.Email, said.Verified = more.Email, more.Verified
	return nil
}

// find returns what a provider publishes of itself.
func (c *Client) find(ctx context.Context, issuer string) (published, error) {
	now := c.clock()
	if p, ok := c.known.Get(issuer); ok && now.Before(p.until) {
		return p, p.err
	}
	p := published{until: now.Add(keepProvider)}
	p.err = c.discover(ctx, issuer, &p)
	if p.err != nil {
		p.until = now.Add(keepFailure)
	}
	c.known.Add(issuer, p)
	return p, p.err
}

func (c *Client) discover(ctx context.Context, issuer string, p *published) (err error) {
	if err := c.CheckIssuer(issuer); err != nil {
		return err
	}
	p.Provider, err = oidc.NewProvider(oidc.ClientContext(ctx, c.http), issuer)
	var mismatch *oidc.IssuerMismatchError
	switch {
	case errors.As(err, &mismatch):
		return ErrOtherIssuer
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if err := p.Claims(&p.meta); err != nil {
		return fmt.Errorf("%w: reading what it publishes: %w", ErrUnreachable, err)
	}
	// The browser is sent to the first: javascript: would be a page of ours.
	for _, address := range []string{p.Endpoint().AuthURL, p.Endpoint().TokenURL, p.JWKS} {
		if err := c.checkAddress(address); err != nil {
			return fmt.Errorf("%w: an address it names %w", ErrUnreachable, err)
		}
	}
	if info := p.UserInfoEndpoint(); info != "" {
		if err := c.checkAddress(info); err != nil {
			return fmt.Errorf("%w: an address it names %w", ErrUnreachable, err)
		}
	}
	return nil
}

// config is what the OAuth library needs. The way of the secret is chosen here: the library would try one after the other, and a
// code is good once.
func (p published) config(of Provider) *oauth2.Config {
	endpoint := p.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if p.AuthMethods != nil && !slices.Contains(p.AuthMethods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{ClientID: of.ClientID, ClientSecret: of.Secret, Endpoint: endpoint, RedirectURL: of.Redirect,
		Scopes: []string{oidc.ScopeOpenID, "email", "profile"}}
}
