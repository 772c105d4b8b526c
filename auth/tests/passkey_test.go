package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/testkit"
)

// authenticator is a security key in software, held by a browser at an origin.
type authenticator struct {
	key    *ecdsa.PrivateKey
	id     []byte
	origin string
	count  uint32
}

func newAuthenticator(t *testing.T) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	return &authenticator{key: key, id: id, origin: "http://localhost:3001"}
}

type passkeyOptions struct {
	PublicKey struct {
		Challenge        string
		RPID             string
		RP               struct{ ID string }
		AllowCredentials []struct{ ID string }
	}
}

var url64 = base64.RawURLEncoding

func (a *authenticator) clientData(kind, challenge string) []byte {
	text, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.origin, "crossOrigin": false})
	return text
}

// data is the authenticator's own: whom it is for, that somebody was there, and a counter.
func (a *authenticator) data(rp string, flags byte) []byte {
	a.count++
	hash := sha256.Sum256([]byte(rp))
	return binary.BigEndian.AppendUint32(append(hash[:], flags), a.count)
}

// create is the answer to the options of a new passkey.
func (a *authenticator) create(o passkeyOptions) map[string]any {
	data := append(a.data(o.PublicKey.RP.ID, 0x45), make([]byte, 16)...) // present, verified, with a key; no model's number
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(a.id))), a.id...)
	point, _ := a.key.PublicKey.Bytes()                               // 4, x, y
	data = append(data, 0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32) // a map: EC2, ES256, P-256, x
	data = append(append(data, point[1:33]...), 0x22, 0x58, 32)       // y
	data = append(data, point[33:]...)
	object := slices.Concat([]byte{0xa3, 0x63}, []byte("fmt"), []byte{0x64}, []byte("none"), []byte{0x67}, []byte("attStmt"),
		[]byte{0xa0, 0x68}, []byte("authData"), []byte{0x58, byte(len(data))}, data)
	return a.said(map[string]any{"clientDataJSON": url64.EncodeToString(a.clientData("webauthn.create", o.PublicKey.Challenge)),
		"attestationObject": url64.EncodeToString(object), "transports": []string{"usb"}})
}

// get is the answer to the options of a sign-in.
func (a *authenticator) get(t *testing.T, o passkeyOptions) map[string]any {
	t.Helper()
	client, data := a.clientData("webauthn.get", o.PublicKey.Challenge), a.data(o.PublicKey.RPID, 0x05)
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(slices.Clone(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, signed[:])
	if err != nil {
		t.Fatal(err)
	}
	return a.said(map[string]any{"clientDataJSON": url64.EncodeToString(client), "authenticatorData": url64.EncodeToString(data),
		"signature": url64.EncodeToString(signature)})
}

func (a *authenticator) said(response map[string]any) map[string]any {
	id := url64.EncodeToString(a.id)
	return map[string]any{"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}}
}

type addedPasskey struct {
	ID            string
	RecoveryCodes []string
}

func addPasskey(t *testing.T, c *testkit.Client, a *authenticator, name string) addedPasskey {
	t.Helper()
	options := testkit.Post[passkeyOptions](t, c, "/auth/second-factor/passkey/options", nil)
	return testkit.Post[addedPasskey](t, c, "/auth/second-factor/passkey", map[string]any{"name": name, "credential": a.create(options)})
}

func signInOptions(t *testing.T, app *testkit.App, challenge string) passkeyOptions {
	t.Helper()
	return testkit.Post[passkeyOptions](t, app.Nobody(), "/auth/second-factor/options", map[string]any{"challenge": challenge})
}

func TestPasskey_EndsASignInAndIsListedAndRemoved(t *testing.T) {
	t.Parallel()
	app, clock := ticking(t)
	_, email := admin(t, app)
	c := as(app, login(t, app, email, secret).AccessToken)
	laptop, key := newAuthenticator(t), newAuthenticator(t)
	first := addPasskey(t, c, laptop, "Office laptop")
	if len(first.RecoveryCodes) != 10 {
		t.Errorf("%d recovery codes with the first, want 10", len(first.RecoveryCodes))
	}
	if second := addPasskey(t, c, key, "Security key"); len(second.RecoveryCodes) != 0 {
		t.Errorf("%d recovery codes with the second, want none", len(second.RecoveryCodes))
	}
	ch := halfSignIn(t, app, email)
	if strings.Join(ch.Methods, " ") != "PASSKEY RECOVERY_CODE" {
		t.Errorf("methods %v", ch.Methods)
	}
	options := signInOptions(t, app, ch.Challenge)
	if n := len(options.PublicKey.AllowCredentials); n != 2 {
		t.Errorf("the browser is asked for %d passkeys, want 2", n)
	}
	in := read(t, app.Nobody().Call(t, "POST", verifyPath, map[string]any{"challenge": ch.Challenge, "passkey": laptop.get(t, options)}))
	type state struct {
		Passkeys []struct {
			ID, Name   string
			LastUsedAt *time.Time
		}
	}
	list := testkit.Get[state](t, as(app, in.AccessToken), "/auth/second-factor").Passkeys
	if len(list) != 2 || list[0].Name != "Office laptop" || list[0].LastUsedAt == nil || list[1].LastUsedAt != nil {
		t.Errorf("the list is %+v", list)
	}

	ch = halfSignIn(t, app, email)
	options = signInOptions(t, app, ch.Challenge)
	if a := c.Call(t, "DELETE", "/auth/second-factor/passkey/"+first.ID, nil); a.Status != 204 {
		t.Fatalf("removing: %d %s", a.Status, a.Body)
	}
	wantRefusal(t, "a passkey that was removed", app.Nobody().Call(t, "POST", verifyPath,
		map[string]any{"challenge": ch.Challenge, "passkey": laptop.get(t, options)}), 400, "SECOND_FACTOR_INVALID")
	options = signInOptions(t, app, ch.Challenge)
	read(t, app.Nobody().Call(t, "POST", verifyPath, map[string]any{"challenge": ch.Challenge, "passkey": key.get(t, options)}))

	clock.Pass(11 * time.Minute)
	stale(t, c)
	options = testkit.Post[passkeyOptions](t, c, "/auth/reauthenticate/options", nil)
	testkit.Post[any](t, c, provePath, map[string]any{"passkey": key.get(t, options)})
	fresh(t, c)
}

func TestPasskey_WrongAnswer_IsRefused(t *testing.T) {
	t.Parallel()
	app, _ := ticking(t)
	_, email := admin(t, app)
	_, otherEmail := admin(t, app)
	key, theirs := newAuthenticator(t), newAuthenticator(t)
	c := as(app, login(t, app, email, secret).AccessToken)
	mine := addPasskey(t, c, key, "Key")
	other := as(app, login(t, app, otherEmail, secret).AccessToken)
	addPasskey(t, other, theirs, "Key")
	other.Refuses(t, "DELETE", "/auth/second-factor/passkey/"+mine.ID, nil, 404, "")

	try := func(what string, answer func(o passkeyOptions) map[string]any) {
		t.Helper()
		ch := halfSignIn(t, app, email).Challenge
		wantRefusal(t, what, app.Nobody().Call(t, "POST", verifyPath,
			map[string]any{"challenge": ch, "passkey": answer(signInOptions(t, app, ch))}), 400, "SECOND_FACTOR_INVALID")
	}
	try("another account's passkey", func(o passkeyOptions) map[string]any { return theirs.get(t, o) })
	try("another origin", func(o passkeyOptions) map[string]any {
		phished := *key
		phished.origin = "https://homeroom.example.evil"
		return phished.get(t, o)
	})
	try("another question", func(o passkeyOptions) map[string]any {
		o.PublicKey.Challenge = url64.EncodeToString(make([]byte, 32))
		return key.get(t, o)
	})
	try("another relying party", func(o passkeyOptions) map[string]any { o.PublicKey.RPID = "evil"; return key.get(t, o) })
	try("a copy whose counter is behind", func(o passkeyOptions) map[string]any {
		copied := *key
		copied.count = 0
		return copied.get(t, o)
	})

	ch := halfSignIn(t, app, email).Challenge
	key.count += 10
	answer := key.get(t, signInOptions(t, app, ch))
	read(t, app.Nobody().Call(t, "POST", verifyPath, map[string]any{"challenge": ch, "passkey": answer}))
	try("an answer that comes again", func(passkeyOptions) map[string]any { return answer })
	try("bytes that mean nothing", func(passkeyOptions) map[string]any {
		return key.said(map[string]any{"clientDataJSON": "AA", "authenticatorData": "AA", "signature": "AA"})
	})
	c.Refuses(t, "POST", "/auth/second-factor/passkey", map[string]any{"name": "Nobody asked", "credential": key.create(passkeyOptions{})},
		409, "")
}
