package factor

import (
	"fmt"
	"net/netip"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
)

// Holder is an account with its passkeys, as the WebAuthn library asks for it.
type Holder struct {
	Account     uuid.UUID
	Name        string
	Credentials []webauthn.Credential
}

// WebAuthnID is what an authenticator knows the account by.
func (h Holder) WebAuthnID() []byte { return h.Account[:] }

// WebAuthnName is shown when a user has passkeys of several accounts.
func (h Holder) WebAuthnName() string { return h.Name }

// WebAuthnDisplayName is the same.
func (h Holder) WebAuthnDisplayName() string { return h.Name }

// WebAuthnCredentials are the account's passkeys.
func (h Holder) WebAuthnCredentials() []webauthn.Credential { return h.Credentials }

// RelyingParty asks for passkeys, and checks them, in the name of the address people open
// in a browser. A browser makes no passkey for a bare address: where it is a loopback one,
// the name is localhost, and the answer may come from any port there (origin is where it
// says it comes from).
func RelyingParty(name, publicURL, origin string) (*webauthn.WebAuthn, error) {
	u, err := url.Parse(publicURL)
	if err != nil {
		return nil, fmt.Errorf("the public address: %w", err)
	}
	config := &webauthn.Config{
		RPDisplayName: name, RPID: u.Hostname(), RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{UserVerification: protocol.VerificationPreferred,
			ResidentKey: protocol.ResidentKeyRequirementDiscouraged},
	}
	if isLoopback(u.Hostname()) {
		config.RPID = "localhost"
		if from, err := url.Parse(origin); err == nil && from.Hostname() == "localhost" {
			config.RPOrigins = append(config.RPOrigins, from.Scheme+"://"+from.Host)
		}
	}
	party, err := webauthn.New(config)
	if err != nil {
		return nil, fmt.Errorf("the relying party: %w", err)
	}
	return party, nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
