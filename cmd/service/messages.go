package service

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"homeroom/api"
	"homeroom/auth"
	"homeroom/config"
	"homeroom/delivery"
)

const (
	heldKey = "homeroom:dev:outbox"
	// heldMost is how many messages a developer's machine keeps.
	heldMost = 2000
)

// held is a message that was not sent: the local profile shows it instead.
type held struct {
	Channel   string    `json:"channel" example:"SMS"`
	To        string    `json:"to"`
	Subject   string    `json:"subject,omitempty"`
	Text      string    `json:"text"`
	CreatedAt time.Time `json:"createdAt"`
}

// devOutbox holds messages where GET /dev/outbox shows them, instead of sending them.
type devOutbox struct {
	redis redis.UniversalClient
	now   func() time.Time
}

// Send adds the message.
func (d devOutbox) Send(ctx context.Context, m auth.Message) error {
	text, err := json.Marshal(held{Channel: m.Channel, To: m.To, Subject: m.Subject, Text: m.Text, CreatedAt: d.now().UTC()})
	if err != nil {
		return err
	}
	pipe := d.redis.TxPipeline()
	pipe.LPush(ctx, heldKey, text)
	pipe.LTrim(ctx, heldKey, 0, heldMost-1)
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("holding a message: %w", err)
	}
	return nil
}

// Ready reports that every channel is ready.
func (devOutbox) Ready(string) error { return nil }

// devDriver holds the messages of a school's queue there too.
type devDriver struct{ pile devOutbox }

func (d devDriver) Send(ctx context.Context, m delivery.Message) (string, error) {
	err := d.pile.Send(ctx, auth.Message{Channel: string(m.Channel), To: m.To, Subject: m.Title, Text: m.Body})
	return "held", err
}

// Unsubscribe holds the topics that a device would have been taken out of.
func (d devDriver) Unsubscribe(ctx context.Context, token string, topics []string) error {
	return d.pile.Send(ctx, auth.Message{Channel: string(delivery.Unsubscribe), To: token, Text: strings.Join(topics, " ")})
}

// letters are codes and links on their way to a real provider.
type letters struct{ sender *delivery.Sender }

const (
	// codeLife is how long a code by SMS is of use, linkLife how long a link by e-mail
	// is worth sending.
	codeLife = 5 * time.Minute
	linkLife = time.Hour
)

func (l letters) Send(ctx context.Context, m auth.Message) error {
	if err := l.Ready(m.Channel); err != nil {
		return err
	}
	life := linkLife
	if m.Channel == string(delivery.SMS) {
		life = codeLife
	}
	return l.sender.Post(ctx, delivery.Letter{Channel: delivery.Channel(m.Channel), To: m.To, Title: m.Subject, Body: m.Text, Life: life})
}

// Ready says that nobody has configured a provider, if so.
func (l letters) Ready(channel string) error {
	if err := l.sender.Ready(delivery.Channel(channel)); err != nil {
		return api.Unavailable("Messages cannot be sent at the moment").Because(fmt.Errorf("%s: %w", channel, err))
	}
	return nil
}

// messenger is how auth's codes and links go out. On a developer's machine they are held
// when the call returns.
func messenger(profile config.Profile, client redis.UniversalClient, sender *delivery.Sender, now func() time.Time) auth.Messenger {
	if profile == config.Local {
		return devOutbox{redis: client, now: now}
	}
	return letters{sender}
}

type heldRequest struct {
	To string `json:"to" validate:"max=254" doc:"A phone or an e-mail; all when left out"`
}

type heldList struct {
	Items []held `json:"items"`
}

// devModule has rows on a developer's machine only.
func devModule(profile config.Profile, client redis.UniversalClient) api.Module {
	m := api.Module{Name: "dev", Folder: "cmd/service", Personal: api.NoTables}
	if profile != config.Local {
		return m
	}
	m.Rows = api.Rows(api.Open("GET", "/dev/outbox", "Messages that would have been sent, newest first", api.Read,
		func(c api.OpenCtx, r heldRequest) (heldList, error) {
			list := heldList{Items: []held{}}
			texts, err := client.LRange(c, heldKey, 0, -1).Result()
			if err != nil {
				return list, err
			}
			for _, text := range texts {
				var m held
				if err := json.Unmarshal([]byte(text), &m); err != nil {
					return list, err
				}
				if r.To == "" || r.To == m.To {
					list.Items = append(list.Items, m)
				}
			}
			return list, nil
		}, api.Limit(api.Unlimited), api.Unlisted))
	return m
}
