package auth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/auth/tokens"
	"homeroom/testkit"
)

var (
	keyOne = tokens.Key{ID: "one", Secret: []byte(strings.Repeat("1", 32))}
	keyTwo = tokens.Key{ID: "two", Secret: []byte(strings.Repeat("2", 32))}
	noon   = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
)

func tokensAt(t *testing.T, now time.Time, keys ...tokens.Key) *tokens.Signer {
	t.Helper()
	signer, err := tokens.New(keys, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// forge signs claims that are right but for the changes; a nil value takes a claim out.
func forge(t *testing.T, method jwt.SigningMethod, kid any, key any, changes jwt.MapClaims) string {
	t.Helper()
	claims := jwt.MapClaims{
		"sub": uuid.NewString(), "sid": uuid.NewString(), "schoolId": uuid.NewString(), "role": "TEACHER", "jti": uuid.NewString(),
		"iss": "homeroom", "aud": []string{"homeroom"}, "iat": noon.Unix(), "exp": noon.Add(time.Minute).Unix(),
	}
	maps.Copy(claims, changes)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	token := jwt.NewWithClaims(method, claims)
	if kid != nil {
		token.Header["kid"] = kid
	}
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAnAccessTokenSaysWhatItWasSignedFor(t *testing.T) {
	t.Parallel()
	signer := tokensAt(t, noon, keyOne)
	for _, want := range []tokens.Access{
		{UserID: uuid.New(), SessionID: uuid.New(), SchoolID: uuid.New(), Role: api.Teacher},
		{UserID: uuid.New(), SessionID: uuid.New(), Role: api.SuperAdmin},
	} {
		text, err := signer.SignAccess(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := signer.ReadAccess(text); err != nil || got != want {
			t.Errorf("signed %+v, read %+v, %v", want, got, err)
		}
	}
	if _, err := signer.ReadAccess(forge(t, jwt.SigningMethodHS256, "one", keyOne.Secret, nil)); err != nil {
		t.Errorf("the forger's own pattern is refused, so the refusals below prove nothing: %v", err)
	}
}

func TestTheTokensOfOneSchoolBeginAlikeAndThoseOfTwoDoNot(t *testing.T) {
	t.Parallel()
	// What docs/operations/nginx.conf goes by.
	begins := regexp.MustCompile(`^[\w-]+\.([\w-]{68})`)
	begin := func(school uuid.UUID, role api.RoleType, key tokens.Key) string {
		text, err := tokensAt(t, noon, key).SignAccess(tokens.Access{UserID: uuid.New(), SessionID: uuid.New(), SchoolID: school, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		m := begins.FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("%s does not match", text)
		}
		return m[1]
	}
	school := uuid.New()
	other := school
	other[15] ^= 1 // the least that two schools can differ by
	one := begin(school, api.Teacher, keyOne)
	if begin(school, api.Parent, keyTwo) != one {
		t.Error("two callers of one school have tokens that begin differently")
	}
	if begin(other, api.Teacher, keyOne) == one {
		t.Error("callers of two schools have tokens that begin alike")
	}
}

func TestATokenThatIsNotExactlyOursIsRefused(t *testing.T) {
	t.Parallel()
	signer := tokensAt(t, noon, keyOne, keyTwo)
	hs, one := jwt.SigningMethodHS256, keyOne.Secret
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	refresh, err := signer.SignRefresh(uuid.New(), uuid.New())
	if err != nil {
		t.Fatal(err)
	}
	good := forge(t, hs, "one", one, nil)
	parts := strings.Split(good, ".")
	admin := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(decode(t, parts[1]), "TEACHER", "SCHOOL_ADMIN", 1)))
	for what, text := range map[string]string{
		"nothing":              "",
		"no token":             "abc.def.ghi",
		"alg none":             forge(t, jwt.SigningMethodNone, "one", jwt.UnsafeAllowNoneSignatureType, nil),
		"no signature":         parts[0] + "." + parts[1] + ".",
		"two parts":            parts[0] + "." + parts[1],
		"four parts":           good + "." + parts[2],
		"HS512, the same key":  forge(t, jwt.SigningMethodHS512, "one", one, nil),
		"HS384, the same key":  forge(t, jwt.SigningMethodHS384, "one", one, nil),
		"RS256":                forge(t, jwt.SigningMethodRS256, "one", rsaKey, nil),
		"another key":          forge(t, hs, "one", keyTwo.Secret, nil),
		"an empty key":         forge(t, hs, "one", []byte{}, nil),
		"no kid":               forge(t, hs, nil, one, nil),
		"an unknown kid":       forge(t, hs, "three", one, nil),
		"a kid that is a path": forge(t, hs, "../one", one, nil),
		"a kid that is a list": forge(t, hs, []string{"one"}, one, nil),
		"claims exchanged":     parts[0] + "." + admin + "." + parts[2],
		"a bit turned":         turnBit(good),
		"expired":              forge(t, hs, "one", one, jwt.MapClaims{"exp": noon.Unix()}),
		"expired long ago":     forge(t, hs, "one", one, jwt.MapClaims{"exp": noon.Add(-time.Hour).Unix()}),
		"no exp":               forge(t, hs, "one", one, jwt.MapClaims{"exp": nil}),
		"exp as text":          forge(t, hs, "one", one, jwt.MapClaims{"exp": "tomorrow"}),
		"no iat":               forge(t, hs, "one", one, jwt.MapClaims{"iat": nil}),
		"iat far ahead": forge(t, hs, "one", one,
			jwt.MapClaims{"iat": noon.Add(31 * time.Second).Unix(), "exp": noon.Add(time.Hour).Unix()}),
		"not yet":                forge(t, hs, "one", one, jwt.MapClaims{"nbf": noon.Add(time.Minute).Unix()}),
		"another issuer":         forge(t, hs, "one", one, jwt.MapClaims{"iss": "elsewhere"}),
		"no issuer":              forge(t, hs, "one", one, jwt.MapClaims{"iss": nil}),
		"another audience":       forge(t, hs, "one", one, jwt.MapClaims{"aud": "elsewhere"}),
		"no audience":            forge(t, hs, "one", one, jwt.MapClaims{"aud": nil}),
		"no user":                forge(t, hs, "one", one, jwt.MapClaims{"sub": nil}),
		"a user that is none":    forge(t, hs, "one", one, jwt.MapClaims{"sub": "1 or 1=1"}),
		"no session":             forge(t, hs, "one", one, jwt.MapClaims{"sid": nil}),
		"a school that is none":  forge(t, hs, "one", one, jwt.MapClaims{"schoolId": "green-valley"}),
		"a teacher of no school": forge(t, hs, "one", one, jwt.MapClaims{"schoolId": ""}),
		"a refresh token":        refresh,
		"type refresh":           forge(t, hs, "one", one, jwt.MapClaims{"type": "refresh"}),
	} {
		if got, err := signer.ReadAccess(text); err == nil {
			t.Errorf("%s is taken for %+v", what, got)
		}
	}
}

func decode(t *testing.T, part string) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// turnBit changes the last letter of a signature to one that differs in a bit that
// a lenient decoder would throw away.
func turnBit(token string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(letters, token[len(token)-1])
	return token[:len(token)-1] + string(letters[last^1])
}

func TestExpiryHasNoLeewayAndAClockMayBeHalfAMinuteAhead(t *testing.T) {
	t.Parallel()
	signed := tokensAt(t, noon, keyOne)
	text, err := signed.SignAccess(tokens.Access{UserID: uuid.New(), SessionID: uuid.New(), SchoolID: uuid.New(), Role: api.Parent})
	if err != nil {
		t.Fatal(err)
	}
	for at, valid := range map[time.Duration]bool{
		tokens.AccessLife - time.Second: true, tokens.AccessLife: false, tokens.AccessLife + time.Second: false,
		-30 * time.Second: true, -31 * time.Second: false,
	} {
		if _, err := tokensAt(t, noon.Add(at), keyOne).ReadAccess(text); (err == nil) != valid {
			t.Errorf("%v after it was signed: %v", at, err)
		}
	}
}

func TestANewKeyInFrontSignsNobodyOut(t *testing.T) {
	t.Parallel()
	old, err := tokensAt(t, noon, keyOne).SignAccess(tokens.Access{UserID: uuid.New(), SessionID: uuid.New(), SchoolID: uuid.New(),
		Role: api.Driver})
	if err != nil {
		t.Fatal(err)
	}
	rotated := tokensAt(t, noon, keyTwo, keyOne)
	if _, err := rotated.ReadAccess(old); err != nil {
		t.Errorf("a token of the old key: %v", err)
	}
	fresh, err := rotated.SignAccess(tokens.Access{UserID: uuid.New(), SessionID: uuid.New(), SchoolID: uuid.New(), Role: api.Driver})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokensAt(t, noon, keyTwo).ReadAccess(fresh); err != nil {
		t.Errorf("new tokens are not of the new key: %v", err)
	}
	if _, err := tokensAt(t, noon, keyTwo).ReadAccess(old); err == nil {
		t.Error("a key that was taken out still counts")
	}
}

func TestKeysThatCouldBeGuessedAreRefused(t *testing.T) {
	t.Parallel()
	for what, keys := range map[string][]tokens.Key{
		"none": nil, "empty": {{ID: "k"}}, "short": {{ID: "k", Secret: make([]byte, 31)}}, "without an id": {{Secret: keyOne.Secret}},
		"the second short": {keyOne, {ID: "k", Secret: []byte("short")}}, "twice the same id": {keyOne, {ID: "one", Secret: keyTwo.Secret}},
	} {
		if _, err := tokens.New(keys, time.Now); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}

func TestNoTwoTokensAreAlike(t *testing.T) {
	t.Parallel()
	signer := tokensAt(t, noon, keyOne)
	user, session := uuid.New(), uuid.New()
	seen := map[string]bool{}
	for range 4 {
		access, err := signer.SignAccess(tokens.Access{UserID: user, SessionID: session, SchoolID: uuid.Nil, Role: api.SuperAdmin})
		if err != nil {
			t.Fatal(err)
		}
		refresh, err := signer.SignRefresh(user, session)
		if err != nil {
			t.Fatal(err)
		}
		seen[access], seen[refresh] = true, true
	}
	if len(seen) != 8 {
		t.Errorf("%d different tokens of 8", len(seen))
	}
}

func TestARefusedTokenIs401AndNothingOfItIsInTheLog(t *testing.T) {
	t.Parallel()
	app := testkit.Shared(t)
	c := app.NewSchool(t).As(t, api.SchoolAdmin)
	good := c.Token
	refresh, err := app.Service.Tokens.SignRefresh(c.UserID, c.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{turnBit(good), refresh, good + "x", strings.Repeat("a", 10_000)} {
		c.Token = token
		c.Refuses(t, "GET", "/school-admin/class/list", nil, 401, "Unauthorized")
	}
	for _, token := range []string{good, refresh} {
		if signature := token[strings.LastIndex(token, ".")+1:]; strings.Contains(app.Log.String(), signature) {
			t.Error("a token is in the log")
		}
	}
}
