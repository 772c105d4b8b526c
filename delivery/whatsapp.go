package delivery

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// WhatsAppAPI sends through Meta's Cloud API, or another server with its protocol: a message that a business begins is one of its
// approved templates, with parameters.
type WhatsAppAPI struct {
	client          *http.Client
	endpoint, token string
	templates       map[string]string // by type of notice, with withPaper after it if a paper goes with it; "" is for all others
	languages       []string          // of the templates; the first is for all other languages
}

// withPaper follows the type of notice of a template whose header is a document.
const withPaper = "+PDF"

// NewWhatsApp reads https://:token@graph.facebook.com/v23.0/{phone number id}, and templates as notice, ATTENDANCE=absence or
// FEE+PDF=receipt. The body of each has three parameters: the school's name, the title and the text. Those with +PDF have a
// document as their header; without one for its type, a message goes without its paper.
func NewWhatsApp(address *url.URL, templates, languages []string) (*WhatsAppAPI, error) {
	token, ok := address.User.Password()
	if !ok || address.Host == "" || strings.Trim(address.Path, "/") == "" {
		return nil, errors.New("write it as https://:token@graph.facebook.com/v23.0/1234567890")
	}
	byType := map[string]string{}
	for _, t := range templates {
		kind, name, named := strings.Cut(t, "=")
		if !named {
			kind, name = "", kind
		}
		byType[strings.TrimSpace(kind)] = strings.TrimSpace(name)
	}
	if byType[""] == "" || len(languages) == 0 {
		return nil, errors.New("name the template for every type of notice, and its languages")
	}
	plain := *address
	plain.User = nil
	return &WhatsAppAPI{client: NewHTTPClient(), endpoint: strings.TrimSuffix(plain.String(), "/"), token: token,
		templates: byType, languages: languages}, nil
}

type whatsAppText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// parameter is a text as a template takes it: on one line, and not empty.
func parameter(text string) whatsAppText {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", " · ")), " ")
	if r := []rune(text); len(r) > 900 { // a body has 1,024 characters with its template
		text = string(r[:899]) + "…"
	}
	if text == "" {
		text = "–"
	}
	return whatsAppText{"text", text}
}

// language is the templates' language for a locale.
func (w *WhatsAppAPI) language(locale string) string {
	tag, _, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	if slices.Contains(w.languages, tag) {
		return tag
	}
	return w.languages[0]
}

// TakesPaper reports whether there is a template with a document for the message's type.
func (w *WhatsAppAPI) TakesPaper(m Message) bool { return w.templates[m.Type+withPaper] != "" }

// Send sends one message. Its paper is uploaded before; if Meta does not take that, the message goes without.
func (w *WhatsAppAPI) Send(ctx context.Context, m Message) (string, error) {
	template := w.templates[m.Type]
	if template == "" {
		template = w.templates[""]
	}
	components := []any{map[string]any{"type": "body",
		"parameters": []whatsAppText{parameter(m.School), parameter(m.Title), parameter(m.Body)}}}
	if m.Paper != nil && w.TakesPaper(m) {
		media, err := w.upload(ctx, m.Paper)
		if err != nil && !faultOf(err).Permanent {
			return "", err
		}
		if err == nil {
			template = w.templates[m.Type+withPaper]
			components = append(components, map[string]any{"type": "header", "parameters": []any{
				map[string]any{"type": "document", "document": map[string]any{"id": media, "filename": m.Paper.Name}}}})
		}
	}
	body, err := json.Marshal(map[string]any{
		"messaging_product": "whatsapp", "recipient_type": "individual", "to": strings.TrimPrefix(m.To, "+"), "type": "template",
		"template": map[string]any{"name": template, "language": map[string]any{"code": w.language(m.Locale)},
			"components": components},
		"biz_opaque_callback_data": reference(m),
	})
	if err != nil {
		return "", err
	}
	return w.call(ctx, "/messages", "application/json", body)
}

// upload gives a paper to Meta, which keeps it for thirty days, and returns its id there.
func (w *WhatsAppAPI) upload(ctx context.Context, p *Paper) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	header := textproto.MIMEHeader{}
	header.Set("Content-Type", "application/pdf")
	header.Set("Content-Disposition", mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": p.Name}))
	err := errors.Join(form.WriteField("messaging_product", "whatsapp"), form.WriteField("type", "application/pdf"))
	part, partErr := form.CreatePart(header)
	if err = errors.Join(err, partErr); err != nil {
		return "", err
	}
	if _, err = part.Write(p.Body); err != nil {
		return "", err
	}
	if err = form.Close(); err != nil {
		return "", err
	}
	return w.call(ctx, "/media", form.FormDataContentType(), body.Bytes())
}

// call posts to Meta and returns the id of what it took.
func (w *WhatsAppAPI) call(ctx context.Context, path, contentType string, body []byte) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.endpoint+path, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Authorization", "Bearer "+w.token)
	status, said, err := post(w.client, r)
	if err != nil {
		return "", err
	}
	type taken struct {
		ID string `json:"id"`
	}
	var answer struct {
		taken
		Messages []taken `json:"messages"`
		Error    struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(said, &answer); err != nil {
		return "", Unavailable(0, "the provider's answer %d is not its own: %s", status, excerpt(said))
	}
	if status >= 300 {
		if slices.Contains(whatsAppBusy, answer.Error.Code) {
			return "", Unavailable(0, "the provider takes no more at present (code %d): %s", answer.Error.Code, answer.Error.Message)
		}
		return "", &Fault{Permanent: true, Suppress: suppressed[whatsAppSuppresses[answer.Error.Code]],
			Err: fmt.Errorf("the provider refuses it (%d, code %d): %s", status, answer.Error.Code, answer.Error.Message)}
	}
	for _, m := range answer.Messages {
		answer.ID = m.ID
	}
	if answer.ID == "" {
		return "", Unavailable(0, "the provider's answer %d has no id: %s", status, excerpt(said))
	}
	return answer.ID, nil
}

// whatsAppBusy are the codes of errors that are about our account at present, not about the message: too many calls, a service
// that is down, a token that has expired, an account that is locked or not paid for.
var whatsAppBusy = []int{1, 2, 4, 190, 80007, 130429, 131000, 131016, 131031, 131042, 131048, 131056, 133004}

// whatsAppSuppresses are the codes of a number to which nothing is to be sent any more: its owner stopped our messages in the
// app; it has no WhatsApp.
var whatsAppSuppresses = map[int]string{131050: hasStopped, 131026: hasBounced}

// ReadWhatsApp reads a report of Meta's Cloud API: states of messages, and what people write back. Who writes STOP gets nothing
// more, until they write START.
func ReadWhatsApp(body []byte) ([]Status, error) {
	var report struct {
		Entry []struct {
			Changes []struct {
				Value struct {
					Statuses []struct {
						Status    string `json:"status"`
						Timestamp string `json:"timestamp"`
						Reference string `json:"biz_opaque_callback_data"`
						Recipient string `json:"recipient_id"`
						Errors    []struct {
							Code  int    `json:"code"`
							Title string `json:"title"`
						} `json:"errors"`
					} `json:"statuses"`
					Messages []struct {
						From      string `json:"from"`
						Timestamp string `json:"timestamp"`
						Text      struct {
							Body string `json:"body"`
						} `json:"text"`
						Button struct {
							Text string `json:"text"`
						} `json:"button"`
					} `json:"messages"`
				} `json:"value"`
			} `json:"changes"`
		} `json:"entry"`
	}
	if err := json.Unmarshal(body, &report); err != nil {
		return nil, fmt.Errorf("reading a report of WhatsApp: %w", err)
	}
	moment := func(text string) time.Time {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return time.Time{}
		}
		return time.Unix(seconds, 0)
	}
	var out []Status
	for _, e := range report.Entry {
		for _, c := range e.Changes {
			for _, s := range c.Value.Statuses {
				one := Status{Status: s.Status, At: moment(s.Timestamp), To: "+" + s.Recipient}
				one.SchoolID, one.ID, _ = parseReference(s.Reference)
				for _, problem := range s.Errors {
					one.Reason = fmt.Sprintf("%s (code %d)", problem.Title, problem.Code)
					if suppresses := whatsAppSuppresses[problem.Code]; suppresses != "" {
						also := one
						also.Status = suppresses
						out = append(out, also)
					}
				}
				out = append(out, one)
			}
			for _, m := range c.Value.Messages {
				if word := stopWord(m.Text.Body + m.Button.Text); word != "" {
					out = append(out, Status{Status: word, To: "+" + m.From, At: moment(m.Timestamp),
						Reason: "they wrote " + m.Text.Body + m.Button.Text})
				}
			}
		}
	}
	return out, nil
}
