package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"homeroom/api"
	"homeroom/auth"
)

// phones are those of the plan's accounts that sign in with a PIN.
func (p *plan) pinPhones() []string {
	return []string{p.parentPhone(), p.teacherPhone(), p.driverPhone()}
}

// pinsDone is the condition that each of them has one.
func (p *plan) pinsDone() string {
	return `(select count(distinct phone) from app_user where pin_hash is not null and phone in ('` + strings.Join(p.pinPhones(), `', '`) + `')) >= 3`
}

// caught keeps the codes that would have been sent.
type caught struct {
	mu    sync.Mutex
	texts map[string]string // by phone
}

func (c *caught) Send(_ context.Context, m auth.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts[m.To] = m.Text
	return nil
}

// Ready holds of every channel.
func (c *caught) Ready(string) error { return nil }

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// setPINs has each of the demo's phones sign in with a code, as its owner does, and set its PIN.
func (b *builder) setPINs(ctx context.Context) error {
	codes := &caught{texts: map[string]string{}}
	parts := b.demo.service.Kernel.Parts
	signing := b.demo.service.Auth.Parts
	signing.Messages = codes
	accounts := auth.New(signing)
	parts.Authenticator, parts.Limits, parts.Log, parts.Traffic = accounts, noLimits{}, b.quiet(), nil
	parts.Modules = slices.Clone(parts.Modules)
	for i, m := range parts.Modules {
		if m.Name == "auth" {
			parts.Modules[i] = accounts.Describe()
		}
	}
	kernel, err := api.New(parts)
	if err != nil {
		return err
	}
	call := func(path, token string, data fields, into any) error {
		body, err := json.Marshal(data)
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, "POST", path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.RemoteAddr = "192.0.2.1:1" // nobody's: what is counted here hinders nobody
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		return serve(kernel.Handler(), r, into)
	}
	for _, phone := range b.plan.pinPhones() {
		var in struct{ AccessToken string }
		if err := call("/auth/send-otp", "", fields{"phone": phone}, nil); err != nil {
			return err
		}
		code := sixDigits.FindString(codes.texts[phone])
		if code == "" {
			return fmt.Errorf("no code came for %s", phone)
		}
		if err := call("/auth/verify-otp", "", fields{"phone": phone, "otp": code}, &in); err != nil {
			return err
		}
		if err := call("/auth/set-pin", in.AccessToken, fields{"pin": PIN}, nil); err != nil {
			return err
		}
	}
	return nil
}
