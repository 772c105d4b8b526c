package webpush

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func b64(t *testing.T, text string) []byte {
	t.Helper()
	out, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The values of RFC 8291, section 5 and appendix A.
func TestEncrypt_TheStandardsExample_GivesItsBytes(t *testing.T) {
	t.Parallel()
	sender, err := ecdh.P256().NewPrivateKey(b64(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	browser := Browser{
		P256dh: b64(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
		Auth:   b64(t, "BTBZMqHH6r4Tts7J_aSIgg"),
	}
	got, err := encrypt(browser, []byte("When I grow up, I want to be a watermelon"), sender, b64(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	want := "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95b" +
		"Qpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if base64.RawURLEncoding.EncodeToString(got) != want {
		t.Errorf("got  %s\nwant %s", base64.RawURLEncoding.EncodeToString(got), want)
	}
}

func TestEncrypt_TooLong_IsRefused(t *testing.T) {
	t.Parallel()
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	browser := Browser{P256dh: b64(t, key.Public()), Auth: make([]byte, 16)}
	body, err := Encrypt(browser, make([]byte, MaxText))
	if err != nil || len(body) != 4096 {
		t.Errorf("the longest message has %d bytes, want 4096: %v", len(body), err)
	}
	if _, err := Encrypt(browser, make([]byte, MaxText+1)); err == nil {
		t.Error("a longer one was taken")
	}
}

func TestKey_Authorization_IsSignedForThePushService(t *testing.T) {
	t.Parallel()
	made, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := made.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseKey(der)
	if err != nil || key.Public() != made.Public() {
		t.Fatalf("read again it is %v: %v", key, err)
	}
	now := time.Now()
	header, err := key.Authorization("https://push.example.org/send/abc?x=1", "https://school.example.org", now)
	if err != nil {
		t.Fatal(err)
	}
	token, public, ok := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	if !ok || public != key.Public() {
		t.Errorf("the header is %s", header)
	}
	read, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), b64(t, public))
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.MapClaims{}
	_, err = jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return read, nil }, jwt.WithValidMethods([]string{"ES256"}),
		jwt.WithAudience("https://push.example.org"), jwt.WithSubject("https://school.example.org"), jwt.WithExpirationRequired())
	if err != nil {
		t.Error(err)
	}
	if until, err := claims.GetExpirationTime(); err != nil || until.After(now.Add(24*time.Hour)) {
		t.Errorf("it is good until %v: %v", until, err)
	}
}

func TestEndpoint_OfAPrivateNetwork_IsRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "http://push.example.org/x", "https://", "ftp://push.example.org", "https://user@push.example.org/",
		"https://127.0.0.1/x", "https://10.1.2.3/x", "https://169.254.169.254/latest", "https://[::1]/x", "https://[fd00::1]/x",
		"https://[::ffff:192.168.0.1]/x", "https://100.64.1.1/", "https://[64:ff9b::a00:1]/", "https://0.0.0.0/", "push.example.org"} {
		if CheckEndpoint(bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for _, good := range []string{"https://fcm.googleapis.com/fcm/send/abc", "https://web.push.apple.com/Q", "https://8.8.8.8/x"} {
		if err := CheckEndpoint(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestClient_NameOfThisMachine_IsNotConnected(t *testing.T) {
	t.Parallel()
	reached := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(server.Close)
	for _, url := range []string{server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := NewClient().Do(r); !errors.Is(err, errPrivate) {
			if err == nil {
				_ = resp.Body.Close()
			}
			t.Errorf("%s: %v", url, err)
		}
	}
	if reached {
		t.Error("the server was reached")
	}
}
