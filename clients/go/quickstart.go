// Command go is a quick start in Go: it signs in, lists students, reads one, pages through all of them and watches a bus. It
// knows what /api-docs says, and uses nothing but the standard library.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

func main() {
	address := flag.String("url", "http://127.0.0.1:3001", "where the service is")
	email := flag.String("email", "admin@green-valley.local", "an administrator's e-mail")
	password := flag.String("password", "", "the password")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *address, *email, *password); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address, email, password string) error {
	c := &client{address: address}
	if err := c.signIn(ctx, email, password); err != nil {
		return err
	}
	page, err := c.students(ctx, 1, 20)
	if err != nil {
		return err
	}
	fmt.Printf("students: %d of %d\n", len(page.Items), page.Total)
	if len(page.Items) > 0 {
		var one student
		if err := c.call(ctx, "GET", "/school-admin/student/"+page.Items[0].ID, nil, &one); err != nil {
			return err
		}
		fmt.Printf("first: %s %s\n", one.FirstName, one.LastName)
	}
	n := 0
	for at := 1; ; at++ {
		page, err := c.students(ctx, at, 100)
		if err != nil {
			return err
		}
		n += len(page.Items)
		if at >= page.TotalPages {
			break
		}
	}
	fmt.Printf("all: %d\n", n)
	var buses struct{ Items []struct{ ID string } }
	if err := c.call(ctx, "GET", "/school-admin/transport/bus/list", nil, &buses); err != nil {
		return err
	}
	if len(buses.Items) == 0 {
		return nil
	}
	return c.watch(ctx, buses.Items[0].ID, func(event string, data json.RawMessage) { fmt.Printf("%s: %s\n", event, data) })
}

type client struct{ address, token string }

type student struct{ ID, FirstName, LastName string }

type studentPage struct {
	Items             []student
	Total, TotalPages int
}

func (c *client) signIn(ctx context.Context, email, password string) error {
	var tokens struct{ AccessToken string }
	err := c.call(ctx, "POST", "/auth/login", map[string]string{"email": email, "password": password}, &tokens) // sign-in bodies are flat
	c.token = tokens.AccessToken
	return err
}

func (c *client) students(ctx context.Context, page, limit int) (out studentPage, err error) {
	err = c.call(ctx, "GET", fmt.Sprintf("/school-admin/student/list?page=%d&limit=%d&sort[field]=firstName", page, limit), nil, &out)
	return out, err
}

// call reads what is under data of a success, or the error body.
func (c *client) call(ctx context.Context, method, path string, body, into any) error {
	var send io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		send = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.address+path, send)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= 400 {
		var refusal struct{ Error, Message string }
		if err := json.NewDecoder(answer.Body).Decode(&refusal); err != nil {
			return fmt.Errorf("%s %s: %s", method, path, answer.Status)
		}
		return fmt.Errorf("%s %s: %d %s: %s", method, path, answer.StatusCode, refusal.Error, refusal.Message)
	}
	return json.NewDecoder(answer.Body).Decode(&struct{ Data any }{into})
}

// watch joins a bus's room and hears its events until ctx ends. Socket.IO over long polling is plain HTTP: a message is a
// text that begins with its kind, several are divided by U+001E.
func (c *client) watch(ctx context.Context, bus string, hear func(event string, data json.RawMessage)) error {
	opened, err := c.poll(ctx, "", nil)
	if err != nil {
		return err
	}
	var session struct{ SID string }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(opened[0], "0")), &session); err != nil {
		return err
	}
	auth, err := json.Marshal(map[string]string{"token": c.token})
	if err != nil {
		return err
	}
	if _, err := c.poll(ctx, session.SID, []byte("40"+string(auth))); err != nil {
		return err
	}
	for {
		messages, err := c.poll(ctx, session.SID, nil)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, m := range messages {
			switch {
			case m == "2": // ping
				_, err = c.poll(ctx, session.SID, []byte("3"))
			case strings.HasPrefix(m, "40"): // connected
				_, err = c.poll(ctx, session.SID, []byte(`421["join-bus-room",{"busId":`+strconv.Quote(bus)+`}]`))
			case strings.HasPrefix(m, "44"):
				err = fmt.Errorf("refused: %s", m[2:])
			case strings.HasPrefix(m, "431"): // the answer to what was sent as 1
				hear("joined", json.RawMessage(m[3:]))
			case strings.HasPrefix(m, "42"):
				var event []json.RawMessage
				var name string
				if err = json.Unmarshal([]byte(m[2:]), &event); err == nil && len(event) > 1 && json.Unmarshal(event[0], &name) == nil {
					hear(name, event[1])
				}
			}
			if err != nil {
				return err
			}
		}
	}
}

// poll sends a message, or waits for the next ones.
func (c *client) poll(ctx context.Context, sid string, send []byte) ([]string, error) {
	query := url.Values{"EIO": {"4"}, "transport": {"polling"}}
	if sid != "" {
		query.Set("sid", sid)
	}
	method, body := "GET", io.Reader(nil)
	if send != nil {
		method, body = "POST", bytes.NewReader(send)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.address+"/socket.io/?"+query.Encode(), body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "text/plain;charset=UTF-8")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the live channel: %s: %s", answer.Status, raw)
	}
	return strings.Split(string(raw), "\x1e"), nil
}
