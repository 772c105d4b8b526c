package auth_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/tokens"
)

// clocked reads tokens by a clock that a test sets.
type clocked struct {
	*tokens.Signer
	now time.Time
}

func clockedTokens(f *testing.F) *clocked {
	f.Helper()
	c := &clocked{now: noon}
	signer, err := tokens.New([]tokens.Key{keyOne, keyTwo}, func() time.Time { return c.now })
	if err != nil {
		f.Fatal(err)
	}
	c.Signer = signer
	return c
}

// said is what a token must say, read without the library that is tested.
type said struct {
	Subject  string          `json:"sub"`
	Session  string          `json:"sid"`
	SchoolID string          `json:"schoolId"`
	Role     api.RoleType    `json:"role"`
	Type     string          `json:"type"`
	Issuer   string          `json:"iss"`
	Audience json.RawMessage `json:"aud"`
	IssuedAt json.Number     `json:"iat"` // the library takes a number in quotes too
	Expires  json.Number     `json:"exp"`
}

// seconds is a moment of a token's, or what is before and after everything.
func seconds(n json.Number, otherwise float64) float64 {
	if s, err := n.Float64(); err == nil {
		return s
	}
	return otherwise
}

// ours takes a token apart and says why it should not have passed.
func ours(token string, refresh bool) (said, error) {
	var s said
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return s, errors.New("not three parts")
	}
	var header struct {
		Algorithm string `json:"alg"`
		Key       string `json:"kid"`
	}
	strict := base64.RawURLEncoding.Strict()
	head, err := strict.DecodeString(parts[0])
	if err == nil {
		err = json.Unmarshal(head, &header)
	}
	if err != nil || header.Algorithm != "HS256" {
		return s, errors.Join(err, errors.New("another algorithm"))
	}
	secret, known := map[string][]byte{keyOne.ID: keyOne.Secret, keyTwo.ID: keyTwo.Secret}[header.Key]
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(parts[0] + "." + parts[1]))
	signature, err := strict.DecodeString(parts[2])
	if err != nil || !known || !hmac.Equal(signature, mac.Sum(nil)) {
		return s, errors.New("we did not sign it")
	}
	claims, err := strict.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(claims, &s)
	}
	if err != nil {
		return s, err
	}
	return s, s.check(refresh)
}

func (s said) check(refresh bool) error {
	_, badSession := uuid.Parse(s.Session)
	_, badUser := uuid.Parse(s.Subject)
	_, badSchool := uuid.Parse(s.SchoolID)
	const unbelievable = 1e15 // what no clock shows
	switch {
	case seconds(s.Expires, 0) <= float64(noon.Unix()):
		return errors.New("it is over, or never is")
	case s.IssuedAt == "" || math.Floor(seconds(s.IssuedAt, 0)) > float64(noon.Add(30*time.Second).Unix()) &&
		seconds(s.IssuedAt, 0) < unbelievable:
		return errors.New("it is of the future, or of no time")
	case s.Issuer != "homeroom" || !strings.Contains(string(s.Audience), `"homeroom"`):
		return errors.New("it is from or for somebody else")
	case badSession != nil:
		return errors.New("it has no session")
	case refresh && s.Type != "refresh", !refresh && s.Type != "":
		return errors.New("it is of the other kind")
	case refresh:
		return nil
	case badUser != nil, badSchool != nil && (s.SchoolID != "" || s.Role != api.SuperAdmin):
		return errors.New("it is nobody's")
	}
	return nil
}

// take reads a text as both kinds of token, and fails if one passes that should not.
func (c *clocked) take(t *testing.T, token string) {
	t.Helper()
	c.now = noon
	access, notAccess := c.ReadAccess(token)
	session, notRefresh := c.ReadRefresh(token)
	if notAccess == nil && notRefresh == nil {
		t.Fatalf("%q is both kinds", token)
	}
	if notAccess == nil {
		s, err := ours(token, false)
		if err != nil {
			t.Fatalf("%q is let in, though %v", token, err)
		}
		if access.Role != s.Role || !sameID(access.UserID, s.Subject) || !sameID(access.SessionID, s.Session) ||
			!sameID(access.SchoolID, s.SchoolID) {
			t.Fatalf("%+v is taken for %+v", s, access)
		}
		// What was found good once is remembered, and still ends when it says.
		if ends := seconds(s.Expires, 0); ends < 1e11 {
			c.now = time.Unix(int64(ends), 0)
			if _, err := c.ReadAccess(token); err == nil {
				t.Fatalf("%q is let in when it is over", token)
			}
		}
	}
	if notRefresh == nil {
		s, err := ours(token, true)
		if err != nil {
			t.Fatalf("%q goes on, though %v", token, err)
		}
		if !sameID(session, s.Session) {
			t.Fatalf("%+v goes on as %s", s, session)
		}
	}
}

func sameID(id uuid.UUID, text string) bool {
	said, err := uuid.Parse(text)
	return err == nil && said == id || text == "" && id == uuid.Nil
}

// FuzzToken hands over any text for a token: what passes is what we signed.
func FuzzToken(f *testing.F) {
	c := clockedTokens(f)
	id := uuid.MustParse("0192f0c1-7a52-7cc3-98c4-dc0c0c07398f")
	access, err := c.SignAccess(tokens.Access{UserID: id, SessionID: id, SchoolID: id, Role: api.Teacher})
	if err != nil {
		f.Fatal(err)
	}
	refresh, err := c.SignRefresh(id, id)
	if err != nil {
		f.Fatal(err)
	}
	parts := strings.Split(access, ".")
	for _, seed := range []string{
		"", ".", "..", "...", "a.b.c", access, refresh, parts[0] + "." + parts[1] + ".", access + "=", access + "." + parts[2], " " + access,
		access + "\n", strings.ToUpper(access),
		parts[0] + "." + strings.Split(refresh, ".")[1] + "." + parts[2], "eyJhbGciOiJub25lIn0." + parts[1] + ".", "e30." + parts[1] + "." +
			parts[2], "\xff." + parts[1] + "." + parts[2],
		turnBit(access), strings.Repeat("A", 9000), strings.Repeat(".", 9000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) { c.take(t, token) })
}

// FuzzClaims signs any header and claims with our own keys: what passes has every claim
// it must have, is of its own kind, and is not over.
func FuzzClaims(f *testing.F) {
	c := clockedTokens(f)
	const good = `{"sub":"0192f0c1-7a52-7cc3-98c4-dc0c0c07398f","sid":"0192f0c1-7a52-7cc3-98c4-dc0c0c07398f","schoolId":"0192f0c1-7a52-7cc3-98c4-dc0c0c07398f","role":"TEACHER","iss":"homeroom","aud":["homeroom"],"iat":1796040000,"exp":1796040060}`
	header := `{"alg":"HS256","kid":"one","typ":"JWT"}`
	f.Add(header, good, false)
	f.Add(header, good, true)
	for _, change := range [][2]string{
		{`"aud":["homeroom"]`, `"aud":"homeroom"`}, {`"exp":1796040060`, `"exp":1796040000.5`}, {`"exp":1796040060`, `"exp":"1796040060"`},
		{`"exp":1796040060`, `"exp":1e300`},
		{`"exp":1796040060`, `"exp":null`}, {`"iat":1796040000`, `"iat":-1`}, {`"iat":1796040000`, `"iat":1796040031`},
		{`"TEACHER"`, `"SUPER_ADMIN"`}, {`"role"`, `"type":"refresh","role"`},
		{`"role"`, `"Type":"refresh","role"`}, {`"schoolId":"0192f0c1-7a52-7cc3-98c4-dc0c0c07398f","role":"TEACHER"`,
			`"schoolId":"","role":"SUPER_ADMIN"`},
		{`"sub":"0192f0c1-7a52-7cc3-98c4-dc0c0c07398f"`, `"sub":"urn:uuid:0192f0c1-7a52-7cc3-98c4-dc0c0c07398f"`},
		{`"iss":"homeroom"`, `"iss":["homeroom"]`}, {`{"sub"`, `{"exp":1,"sub"`},
	} {
		f.Add(header, strings.Replace(good, change[0], change[1], 1), false)
	}
	for _, h := range []string{`{"alg":"none","kid":"one"}`, `{"alg":"HS384","kid":"one"}`, `{"alg":"hs256","kid":"one"}`,
		`{"alg":"HS256","kid":"two"}`, `{"alg":"HS256"}`, `{"kid":["one"],"alg":"HS256"}`, `{}`, `[]`, `null`} {
		f.Add(h, good, false)
	}
	f.Fuzz(func(t *testing.T, header, claims string, second bool) {
		key := keyOne
		if second {
			key = keyTwo
		}
		signed := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
		signature, err := jwt.SigningMethodHS256.Sign(signed, key.Secret)
		if err != nil {
			t.Fatal(err)
		}
		c.take(t, signed+"."+base64.RawURLEncoding.EncodeToString(signature))
	})
}
