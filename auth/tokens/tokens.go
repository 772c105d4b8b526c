// Package tokens signs and verifies the tokens of sessions and API keys. It knows whom a token names and until when, not
// whether the session or key behind it has ended: auth asks the database.
package tokens

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"homeroom/api"
)

const (
	// AccessLife and RefreshLife are the spec's.
	AccessLife  = 15 * time.Minute
	RefreshLife = 7 * 24 * time.Hour

	issuer   = "homeroom"
	audience = "homeroom"
	// minKey is the least an HMAC-SHA-256 key should have.
	minKey = 32
	// maxVerifiedTokens bounds the cache of verified tokens.
	maxVerifiedTokens = 50_000
)

// Key is one signing key. Tokens name theirs, so a new key can be put in front
// without signing anyone out.
type Key struct {
	ID     string
	Secret []byte
}

// Signer signs and verifies. The first key signs; all verify.
type Signer struct {
	keys   map[string][]byte
	signer Key
	parser *jwt.Parser
	now    func() time.Time
	known  *lru.Cache[[sha256.Size]byte, verified]
}

// verified are the claims of an access token that was verified before. A token never
// changes, so only its expiry has to be checked again.
type verified struct {
	access Access
	until  time.Time
}

// New refuses keys that are too short.
func New(keys []Key, now func() time.Time) (*Signer, error) {
	if len(keys) == 0 {
		return nil, errors.New("auth: no signing key")
	}
	known, err := lru.New[[sha256.Size]byte, verified](maxVerifiedTokens)
	if err != nil {
		return nil, err
	}
	t := &Signer{keys: map[string][]byte{}, signer: keys[0], now: now, known: known}
	for _, k := range keys {
		if len(k.Secret) < minKey {
			return nil, fmt.Errorf("auth: signing key %q has %d bytes, want at least %d", k.ID, len(k.Secret), minKey)
		}
		if _, twice := t.keys[k.ID]; twice || k.ID == "" {
			return nil, fmt.Errorf("auth: signing key id %q is empty or used twice", k.ID)
		}
		t.keys[k.ID] = k.Secret
	}
	// The library's defaults accept a token without exp and any HMAC: every option is set.
	t.parser = jwt.NewParser(
		jwt.WithValidMethods([]string{"HS256"}),
		jwt.WithIssuer(issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(now),
	)
	return t, nil
}

// accessClaims and refreshClaims are the spec's, and the session. An access token begins
// with its school, so that all of a school's have the same beginning: a proxy sends them
// to one instance by it, without reading more (docs/operations/nginx.conf).
type accessClaims struct {
	SchoolID string       `json:"schoolId"`
	Role     api.RoleType `json:"role"`
	Session  string       `json:"sid"`
	Rotation int          `json:"rot,omitempty"`
	Type     string       `json:"type,omitempty"` // always empty: a refresh token is no access token
	jwt.RegisteredClaims
}

type refreshClaims struct {
	Type    string `json:"type"`
	Session string `json:"sid"`
	jwt.RegisteredClaims
}

// Access are the claims of an access token.
type Access struct {
	UserID    uuid.UUID
	SessionID uuid.UUID
	SchoolID  uuid.UUID // zero for the cross-school administrator
	Role      api.RoleType
	Rotation  int // how often the session's refresh token had been changed
}

// SignAccess makes an access token.
func (t *Signer) SignAccess(a Access) (string, error) {
	school := ""
	if a.SchoolID != uuid.Nil {
		school = a.SchoolID.String()
	}
	return t.sign(accessClaims{Role: a.Role, SchoolID: school, Session: a.SessionID.String(), Rotation: a.Rotation,
		RegisteredClaims: t.registered(a.UserID, AccessLife)})
}

// SignRefresh makes a refresh token; no two are alike.
func (t *Signer) SignRefresh(userID, sessionID uuid.UUID) (string, error) {
	return t.sign(refreshClaims{Type: "refresh", Session: sessionID.String(), RegisteredClaims: t.registered(userID, RefreshLife)})
}

func (t *Signer) registered(userID uuid.UUID, life time.Duration) jwt.RegisteredClaims {
	now := t.now()
	return jwt.RegisteredClaims{
		ID: uuid.NewString(), Subject: userID.String(), Issuer: issuer, Audience: jwt.ClaimStrings{audience},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(life)),
	}
}

func (t *Signer) sign(claims jwt.Claims) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	token.Header["kid"] = t.signer.ID
	signed, err := token.SignedString(t.signer.Secret)
	if err != nil {
		return "", fmt.Errorf("signing a token: %w", err)
	}
	return signed, nil
}

// ReadAccess verifies an access token. One that comes again is known by its digest. Of one
// that has expired, jwt.ErrTokenExpired, it returns the session and nothing else.
func (t *Signer) ReadAccess(token string) (Access, error) {
	sum := sha256.Sum256([]byte(token))
	if v, ok := t.known.Get(sum); ok && t.now().Before(v.until) {
		return v.access, nil
	}
	var c accessClaims
	if err := t.read(token, &c); err != nil {
		var was Access
		if errors.Is(err, jwt.ErrTokenExpired) { // its signature was checked before
			was.SessionID, _ = uuid.Parse(c.Session)
		}
		return was, err
	}
	a, err := t.accessOf(c)
	if err == nil {
		t.known.Add(sum, verified{access: a, until: c.ExpiresAt.Time})
	}
	return a, err
}

// IsExpired reports whether a token was refused for its age alone: it was ours, and valid until then.
func IsExpired(err error) bool { return errors.Is(err, jwt.ErrTokenExpired) }

// AccessEnds is when an access token expires, for connections that outlive a call.
func (t *Signer) AccessEnds(token string) (time.Time, error) {
	var c accessClaims
	if err := t.read(token, &c); err != nil {
		return time.Time{}, err
	}
	return c.ExpiresAt.Time, nil
}

func (t *Signer) accessOf(c accessClaims) (Access, error) {
	if c.Type != "" {
		return Access{}, errors.New("not an access token")
	}
	if err := t.notFromTheFuture(c.IssuedAt); err != nil {
		return Access{}, err
	}
	var a Access
	var err error
	a.Role, a.Rotation = c.Role, c.Rotation
	if a.UserID, err = uuid.Parse(c.Subject); err != nil {
		return a, fmt.Errorf("sub: %w", err)
	}
	if a.SessionID, err = uuid.Parse(c.Session); err != nil {
		return a, fmt.Errorf("sid: %w", err)
	}
	if c.SchoolID == "" {
		if c.Role != api.SuperAdmin {
			return a, errors.New("no school")
		}
		return a, nil
	}
	if a.SchoolID, err = uuid.Parse(c.SchoolID); err != nil {
		return a, fmt.Errorf("schoolId: %w", err)
	}
	return a, nil
}

// ReadRefresh verifies a refresh token and returns its session. An expired one is
// jwt.ErrTokenExpired.
func (t *Signer) ReadRefresh(token string) (uuid.UUID, error) {
	var c refreshClaims
	if err := t.read(token, &c); err != nil {
		return uuid.Nil, err
	}
	if c.Type != "refresh" {
		return uuid.Nil, errors.New("not a refresh token")
	}
	if err := t.notFromTheFuture(c.IssuedAt); err != nil {
		return uuid.Nil, err
	}
	return uuid.Parse(c.Session)
}

// leeway is how far ahead of ours another server's clock may be.
const leeway = 30 * time.Second

// notFromTheFuture allows for clocks that differ a little, on iat alone: the
// library's leeway would stretch exp too.
func (t *Signer) notFromTheFuture(iat *jwt.NumericDate) error {
	if iat == nil {
		return errors.New("no iat")
	}
	if iat.After(t.now().Add(leeway)) {
		return errors.New("issued in the future")
	}
	return nil
}

func (t *Signer) read(token string, into jwt.Claims) error {
	_, err := t.parser.ParseWithClaims(token, into, func(j *jwt.Token) (any, error) {
		kid, _ := j.Header["kid"].(string)
		secret, ok := t.keys[kid]
		if !ok {
			return nil, errors.New("unknown key")
		}
		return secret, nil
	})
	return err
}
