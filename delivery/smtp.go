package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"

	"github.com/wneessen/go-mail"
)

// SMTP sends e-mail through a server.
type SMTP struct {
	host    string
	options []mail.Option
	from    string // the address alone: the name is the school's
	domain  string
}

// NewSMTP reads smtp://user:password@host:587, which must offer STARTTLS, or smtps://
// for TLS from the first byte. tls=none is for a server on the same machine.
func NewSMTP(address *url.URL, from string) (*SMTP, error) {
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("the sender %q is no e-mail address", from)
	}
	if address.Hostname() == "" {
		return nil, errors.New("write it as smtp://user:password@mail.example.org:587")
	}
	s := &SMTP{host: address.Hostname(), from: sender.Address, domain: sender.Address[strings.LastIndex(sender.Address, "@")+1:]}
	s.options = []mail.Option{mail.WithTimeout(sendTime), mail.WithTLSPolicy(mail.TLSMandatory), mail.WithoutNoop()}
	port := 587
	if address.Scheme == "smtps" {
		s.options, port = append(s.options, mail.WithSSL()), 465
	}
	if address.Query().Get("tls") == "none" {
		s.options = append(s.options, mail.WithTLSPolicy(mail.NoTLS))
	}
	if address.Port() != "" {
		if port, err = strconv.Atoi(address.Port()); err != nil {
			return nil, err
		}
	}
	s.options = append(s.options, mail.WithPort(port))
	if password, ok := address.User.Password(); ok {
		s.options = append(s.options, mail.WithUsername(address.User.Username()), mail.WithPassword(password),
			mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover))
	}
	return s, nil
}

var htmlMail = template.Must(template.New("mail").Parse(`<!doctype html>
<html lang="{{.Lang}}"><head><meta charset="utf-8"><title>{{.Title}}</title></head>
<body style="font-family:sans-serif;line-height:1.5;color:#222;max-width:40em;margin:0 auto;padding:1em">
<h1 style="font-size:1.2em">{{.Title}}</h1>
{{range .Paragraphs}}<p>{{range $i, $line := .}}{{if $i}}<br>{{end}}{{$line}}{{end}}</p>
{{end}}<p style="color:#777;font-size:.85em">{{.School}}</p>
</body></html>
`))

// Send sends one e-mail, as text and as HTML. Its Message-ID follows from the
// message's id: most mailboxes show one that is sent twice once.
func (s *SMTP) Send(ctx context.Context, m Message) (string, error) {
	msg, id, err := s.compose(m)
	if err != nil {
		return "", err
	}
	client, err := mail.NewClient(s.host, s.options...)
	if err != nil {
		return "", err
	}
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		return "", mailFault(err)
	}
	return id, nil
}

func (s *SMTP) compose(m Message) (*mail.Msg, string, error) {
	msg := mail.NewMsg()
	// A name may have quotes, commas and brackets in it: the encoder writes the header.
	msg.FromMailAddress(&netmail.Address{Name: oneLine(m.School), Address: s.from})
	if err := msg.To(m.To); err != nil {
		return nil, "", Refused("%q is no e-mail address", m.To)
	}
	msg.Subject(oneLine(m.Title))
	id := m.ID.String() + "@" + s.domain
	if ref := reference(m); ref != "" {
		id = ref + "." + s.domain // a provider that reports a bounce names it
	}
	msg.SetMessageIDWithValue(id)
	msg.SetDate()
	if lang, _, _ := strings.Cut(m.Locale, "_"); lang != "" {
		msg.SetGenHeader("Content-Language", oneLine(lang))
	}
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, m.Body+"\n\n-- \n"+m.School+"\n")
	html, err := asHTML(m)
	if err != nil {
		return nil, "", Refused("it cannot be written as a page: %w", err)
	}
	msg.AddAlternativeString(mail.TypeTextHTML, html)
	return msg, id, nil
}

func asHTML(m Message) (string, error) {
	var paragraphs [][]string
	for p := range strings.SplitSeq(strings.ReplaceAll(m.Body, "\r\n", "\n"), "\n\n") {
		paragraphs = append(paragraphs, strings.Split(p, "\n"))
	}
	var b bytes.Buffer
	err := htmlMail.Execute(&b, map[string]any{"Lang": m.Locale, "Title": m.Title, "School": m.School, "Paragraphs": paragraphs})
	return b.String(), err
}

// oneLine keeps line breaks in a text from starting a new header.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

// mailFault: what a server refuses for good (5xx) about the address or the text is
// the message's fault, and so is what the client cannot even write down; everything else is
// not: a wrong password, or a sender that the server does not know.
func mailFault(err error) error {
	var sent *mail.SendError
	if errors.As(err, &sent) && (sent.Reason == mail.ErrGetSender || sent.Reason == mail.ErrGetRcpts) {
		return Refused("it is no e-mail: %w", err)
	}
	if errors.As(err, &sent) && !sent.IsTemp() && sent.ErrorCode() >= 500 {
		switch sent.Reason {
		case mail.ErrSMTPRcptTo:
			fault := &Fault{Permanent: true, Err: fmt.Errorf("the mail server refuses it: %w", err)}
			if sent.EnhancedStatusCode() == "5.1.1" { // no such mailbox
				fault.Suppress = Bounced
			}
			return fault
		case mail.ErrSMTPData, mail.ErrSMTPDataClose:
			return Refused("the mail server refuses it: %w", err)
		}
	}
	return Unavailable(0, "the mail server did not take it: %w", err)
}
