package testkit

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"homeroom/cmd/service"
	"homeroom/config"
)

// IdentityProvider speaks OpenID Connect: discovery, keys, the authorization code with PKCE, tokens and userinfo. Its client leads to
// it whatever host is called, so that it is every issuer that a test names.
type IdentityProvider struct {
	*httptest.Server
	t   testing.TB
	key *rsa.PrivateKey

	mu      sync.Mutex
	clients map[string]identityClient
	codes   map[string]grant
	person  map[string]any
	forge   func(claims map[string]any) string
	info    map[string]any
}

type identityClient struct {
	secret    string
	redirects []string
}

// grant is a person's word that a client may know who they are, until its code is used.
type grant struct {
	issuer, client, redirect, challenge, nonce string
	claims                                     map[string]any
}

// StartIdentityProvider runs one until the test ends.
func StartIdentityProvider(t testing.TB) *IdentityProvider {
	t.Helper()
	p := newIdentityProvider(t)
	p.Server = httptest.NewTLSServer(p)
	t.Cleanup(p.Close)
	return p
}

// StartPlainIdentityProvider runs one that a browser of the test can open: http, at an address of this machine.
func StartPlainIdentityProvider(t testing.TB) *IdentityProvider {
	t.Helper()
	p := newIdentityProvider(t)
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func newIdentityProvider(t testing.TB) *IdentityProvider {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return &IdentityProvider{t: t, key: key, clients: map[string]identityClient{}, codes: map[string]grant{}}
}

// With has an instance ask it.
func (p *IdentityProvider) With(_ *config.Config, o *service.Options) { o.SSO = p.client() }

func (p *IdentityProvider) client() *http.Client {
	var dialer net.Dialer
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // every host leads to the test's own server
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, p.Listener.Addr().String())
			},
		},
	}
}

// Register makes a client known. One without a redirect address may have any: where a browser makes it, the test learns it too late.
func (p *IdentityProvider) Register(id, secret string, redirects ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients[id] = identityClient{secret, redirects}
}

// Is says who sits before the browser: the claims of their tokens besides those of the protocol.
func (p *IdentityProvider) Is(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person, p.forge, p.info = claims, nil, nil
}

// Forges has it answer with tokens of another making, until Is is called again.
func (p *IdentityProvider) Forges(make func(claims map[string]any) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forge = make
}

// Knows are claims that its userinfo has instead of its tokens.
func (p *IdentityProvider) Knows(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.info = claims
}

// Sign signs claims as the provider does.
func (p *IdentityProvider) Sign(claims map[string]any) string { return p.SignBy(p.key, claims) }

// SignBy signs claims with another key under the name of its own.
func (p *IdentityProvider) SignBy(key *rsa.PrivateKey, claims map[string]any) string {
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims(claims))
	token.Header["kid"] = "one"
	text, err := token.SignedString(key)
	if err != nil {
		p.t.Error(err)
	}
	return text
}

// PublicKey is the modulus, which anybody may read: a secret for a client that takes it for one.
func (p *IdentityProvider) PublicKey() []byte { return p.key.N.Bytes() }

// Visit opens the address that a browser is sent to, and returns what it comes back with.
func (p *IdentityProvider) Visit(t testing.TB, address string) url.Values {
	t.Helper()
	call, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.client().Do(call)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	back, err := url.Parse(answer.Header.Get("Location"))
	if err != nil || answer.StatusCode != http.StatusFound {
		t.Fatalf("%s: %d %v", address, answer.StatusCode, err)
	}
	return back.Query()
}

// ServeHTTP answers as the issuer that the call's address is of.
func (p *IdentityProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := strings.LastIndex(r.URL.Path, "/")
	base, end := r.URL.Path[:at], r.URL.Path[at+1:]
	base = strings.TrimSuffix(base, "/.well-known")
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	issuer := scheme + r.Host + base
	switch end {
	case "openid-configuration":
		writeJSON(w, map[string]any{"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
			"jwks_uri": issuer + "/jwks", "userinfo_endpoint": issuer + "/userinfo", "response_types_supported": []string{"code"},
			"id_token_signing_alg_values_supported":          []string{"RS256", "HS256", "none"},
			"authorization_response_iss_parameter_supported": true})
	case "jwks":
		writeJSON(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one",
			"n": base64.RawURLEncoding.EncodeToString(p.key.N.Bytes()),
			"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(p.key.E)).Bytes())}}})
	case "authorize":
		p.authorize(w, r, issuer)
	case "token":
		p.token(w, r, issuer)
	case "userinfo":
		if p.info == nil {
			writeJSON(w, p.person)
			return
		}
		writeJSON(w, p.info)
	default:
		http.NotFound(w, r)
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// authorize sends a program straight back; a person in a browser continues by a link.
func (p *IdentityProvider) authorize(w http.ResponseWriter, r *http.Request, issuer string) {
	q := r.URL.Query()
	client, known := p.clients[q.Get("client_id")]
	redirect := q.Get("redirect_uri")
	if len(client.redirects) == 0 {
		client.redirects = []string{redirect}
	}
	if !known || !slices.Contains(client.redirects, redirect) || q.Get("response_type") != "code" ||
		q.Get("code_challenge_method") != "S256" ||
		len(q.Get("state")) < 40 || len(q.Get("nonce")) < 40 || !strings.Contains(q.Get("scope"), "openid") {
		http.Error(w, "not a request of a registered client", http.StatusBadRequest)
		return
	}
	code := uuid.NewString()
	p.codes[code] = grant{issuer, q.Get("client_id"), redirect, q.Get("code_challenge"), q.Get("nonce"), p.person}
	back := redirect + "?" + url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {issuer}}.Encode()
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<h1>Example accounts</h1><a href="%s">Continue as %s</a>`, html.EscapeString(back),
			html.EscapeString(fmt.Sprint(p.person["email"])))
		return
	}
	http.Redirect(w, r, back, http.StatusFound)
}

// token changes a code, once, for who holds the client's secret and the verifier of the challenge.
func (p *IdentityProvider) token(w http.ResponseWriter, r *http.Request, issuer string) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id) // RFC 6749, 2.3.1
	secret, _ = url.QueryUnescape(secret)
	g, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || g.client != id || p.clients[id].secret != secret || g.issuer != issuer || r.PostFormValue("redirect_uri") != g.redirect ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge {
		w.WriteHeader(http.StatusBadRequest)
		writeJSON(w, map[string]any{"error": "invalid_grant"})
		return
	}
	now := time.Now()
	claims := map[string]any{"iss": issuer, "aud": id, "nonce": g.nonce, "iat": now.Unix(), "exp": now.Unix() + 300}
	for name, value := range g.claims {
		claims[name] = value
	}
	text := ""
	if p.forge != nil {
		text = p.forge(claims)
	} else {
		text = p.Sign(claims)
	}
	writeJSON(w, map[string]any{"access_token": uuid.NewString(), "token_type": "Bearer", "expires_in": 300, "id_token": text})
}
