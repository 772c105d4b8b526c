package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// proofLife is how long a proof is good: push services take a day at the most.
const proofLife = 12 * time.Hour

// Key is what push services know the sender by. Browsers bind their subscriptions to it.
type Key struct {
	private *ecdsa.PrivateKey
	public  string
}

// NewKey makes one.
func NewKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the key of web push: %w", err)
	}
	return keyOf(private)
}

// ParseKey reads what Bytes wrote.
func ParseKey(der []byte) (*Key, error) {
	private, err := x509.ParseECPrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("reading the key of web push: %w", err)
	}
	return keyOf(private)
}

func keyOf(private *ecdsa.PrivateKey) (*Key, error) {
	point, err := private.PublicKey.Bytes()
	if err != nil {
		return nil, fmt.Errorf("writing the public key of web push: %w", err)
	}
	return &Key{private, base64.RawURLEncoding.EncodeToString(point)}, nil
}

// Bytes is the private key, to be kept.
func (k *Key) Bytes() ([]byte, error) { return x509.MarshalECPrivateKey(k.private) }

// Public is the key as a browser takes it (applicationServerKey).
func (k *Key) Public() string { return k.public }

// Authorization is the header by which a push service knows us. The subject is an address at which its operators reach ours.
func (k *Key) Authorization(endpoint, subject string, now time.Time) (string, error) {
	to, err := url.Parse(endpoint)
	if err != nil {
		return "", errors.New("the endpoint is no address")
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"aud": to.Scheme + "://" + to.Host, "exp": now.Add(proofLife).Unix(), "sub": subject,
	}).SignedString(k.private)
	if err != nil {
		return "", fmt.Errorf("signing for a push service: %w", err)
	}
	return "vapid t=" + token + ", k=" + k.public, nil
}
