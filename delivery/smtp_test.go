package delivery_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeroom/delivery"
)

// mailServer speaks enough SMTP to take one message or to refuse it: answers are said
// instead of the usual one to the command they are named after.
func mailServer(t *testing.T, answers map[string]string) (*url.URL, <-chan string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	taken := make(chan string, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveMail(conn, answers, taken)
		}
	}()
	return &url.URL{Scheme: "smtp", Host: listener.Addr().String(), RawQuery: "tls=none"}, taken
}

func serveMail(conn net.Conn, answers map[string]string, taken chan<- string) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	say := func(command, usual string) {
		if other, ok := answers[command]; ok {
			usual = other
		}
		_, _ = fmt.Fprintf(conn, "%s\r\n", usual)
	}
	if answers["hang"] != "" {
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	say("greeting", "220 mail.test ready")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		command, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " ")
		switch command {
		case "EHLO", "HELO":
			say(command, "250 mail.test")
		case "DATA":
			say("DATA", "354 go on")
			var text strings.Builder
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if line == ".\r\n" {
					break
				}
				text.WriteString(strings.TrimPrefix(line, "."))
			}
			taken <- text.String()
			say("end", "250 queued")
		case "QUIT":
			say("QUIT", "221 bye")
			return
		default:
			say(command, "250 fine")
		}
	}
}

func mailer(t *testing.T, u *url.URL) *delivery.SMTP {
	t.Helper()
	d, err := delivery.NewSMTP(u, "office@school.test")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAnEMailHasATextAndAnHTMLPart(t *testing.T) {
	t.Parallel()
	u, taken := mailServer(t, nil)
	m := message(delivery.Email, "meera@parents.test")
	m.Title, m.Body = "Fees\r\nBcc: all@school.test", "Dear Meera,\n\n<script>1</script> are due.\nThank you"
	id, err := mailer(t, u).Send(t.Context(), m)
	if err != nil || !strings.HasPrefix(id, m.ID.String()+"@") {
		t.Fatalf("%q %v", id, err)
	}
	got, err := netmail.ReadMessage(strings.NewReader(<-taken))
	if err != nil {
		t.Fatal(err)
	}
	subject, _ := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if subject != "Fees  Bcc: all@school.test" || got.Header.Get("Bcc") != "" || got.Header.Get("Message-Id") != "<"+id+">" ||
		got.Header.Get("From") != `"Green Valley" <office@school.test>` ||
		got.Header.Get("To") != "<meera@parents.test>" || got.Header.Get("Content-Language") != "en-IN" {
		t.Errorf("headers %v", got.Header)
	}
	_, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(got.Body, params["boundary"])
	var types, texts []string
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(quotedprintable.NewReader(p))
		types, texts = append(types, p.Header.Get("Content-Type")), append(texts, string(text))
	}
	if len(types) != 2 || !strings.HasPrefix(types[0], "text/plain") || !strings.HasPrefix(types[1], "text/html") ||
		!strings.Contains(texts[0], "<script>1</script> are due.") ||
		!strings.Contains(texts[1], "&lt;script&gt;1&lt;/script&gt; are due.<br>Thank you") {
		t.Errorf("parts %v\n%v", types, texts)
	}
}

func TestAMailServersNoIsForTheMessageOrForNow(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		answers map[string]string
		message bool
	}{
		"no such mailbox":      {map[string]string{"RCPT": "550 5.1.1 no such mailbox"}, true},
		"no such sender":       {map[string]string{"MAIL": "553 5.7.1 sender not allowed"}, false},
		"come back later":      {map[string]string{"RCPT": "450 4.2.0 greylisted"}, false},
		"spam":                 {map[string]string{"end": "554 5.7.1 spam"}, true},
		"full":                 {map[string]string{"end": "452 4.3.1 full"}, false},
		"garbage":              {map[string]string{"greeting": "HTTP/1.1 400 Bad Request"}, false},
		"not today":            {map[string]string{"greeting": "421 4.3.2 closing"}, false},
		"a server that hangs":  {map[string]string{"hang": "yes"}, false},
		"an angry EHLO answer": {map[string]string{"EHLO": "554 go away", "HELO": "554 go away"}, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			u, _ := mailServer(t, c.answers)
			ctx := t.Context()
			if c.answers["hang"] != "" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 2*time.Second)
				defer cancel()
			}
			_, err := mailer(t, u).Send(ctx, message(delivery.Email, "meera@parents.test"))
			var fault *delivery.Fault
			if !errors.As(err, &fault) || fault.Permanent != c.message {
				t.Errorf("answered %#v %v", fault, err)
			}
		})
	}
	t.Run("a server without TLS", func(t *testing.T) {
		t.Parallel()
		u, taken := mailServer(t, nil)
		u.RawQuery = ""
		if _, err := mailer(t, u).Send(t.Context(), message(delivery.Email, "meera@parents.test")); err == nil || len(taken) != 0 {
			t.Errorf("it was trusted with a message: %v", err)
		}
	})
	t.Run("an address that is none", func(t *testing.T) {
		t.Parallel()
		u, _ := mailServer(t, nil)
		_, err := mailer(t, u).Send(t.Context(), message(delivery.Email, "nobody"))
		var fault *delivery.Fault
		if !errors.As(err, &fault) || !fault.Permanent {
			t.Errorf("answered %v", err)
		}
	})
}

func TestEMail_OfASchoolWithAnyName_IsSent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		`Ward 5" School`: `Ward 5" School`, `"Quoted" <School>, (Ward; 5\`: `"Quoted" <School>, (Ward; 5\`,
		"Two\r\nBcc: all@school.test": "Two  Bcc: all@school.test",
		"विद्यालय, \"पाँच\"":          "विद्यालय, \"पाँच\"", "": "",
	} {
		u, taken := mailServer(t, nil)
		m := message(delivery.Email, "meera@parents.test")
		m.School = name
		if _, err := mailer(t, u).Send(t.Context(), m); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		got, err := netmail.ReadMessage(strings.NewReader(<-taken))
		if err != nil {
			t.Fatal(err)
		}
		from, err := got.Header.AddressList("From")
		if err != nil || len(from) != 1 || from[0].Name != want || from[0].Address != "office@school.test" {
			t.Errorf("%q: from %v (%v)", name, got.Header["From"], err)
		}
		if got.Header.Get("Bcc") != "" {
			t.Errorf("%q: a header of its own", name)
		}
	}
}
