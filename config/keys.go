package config

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// SigningKey is one entry of HOMEROOM_JWT_KEYS.
type SigningKey struct {
	ID     string
	Secret []byte
}

// SigningKeys reads the keys tokens are signed with; the first one signs.
func (c *Config) SigningKeys() ([]SigningKey, error) {
	var out []SigningKey
	seen := map[string]bool{}
	for i, entry := range c.JWTKeys {
		id, text, ok := strings.Cut(strings.TrimSpace(entry), ":")
		if !ok || id == "" {
			return nil, problem("HOMEROOM_JWT_KEYS", fmt.Sprintf("entry %d has no id", i+1), "write each key as id:base64")
		}
		if seen[id] {
			return nil, problem("HOMEROOM_JWT_KEYS", fmt.Sprintf("uses the id %q twice", id), "give every key an id of its own")
		}
		seen[id] = true
		secret, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, problem("HOMEROOM_JWT_KEYS", fmt.Sprintf("key %q is not base64", id), "make one with: openssl rand -base64 48")
		}
		if len(secret) < 32 {
			return nil, problem("HOMEROOM_JWT_KEYS", fmt.Sprintf("key %q has %d bytes", id, len(secret)),
				"use at least 32: openssl rand -base64 48")
		}
		out = append(out, SigningKey{ID: id, Secret: secret})
	}
	return out, nil
}
