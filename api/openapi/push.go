package openapi

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"homeroom/api"
)

// Push is what push messages say and where they go, as the code that sends them declares it.
type Push struct {
	Types  []PushType
	Topics []PushTopic
	Data   any // an empty value of data of a message to a phone
	Web    any // an empty value of a message to a browser, once it is decrypted
	Kept   map[string]time.Duration
	Else   time.Duration // for how long push services keep a type that is not in Kept
}

// PushType is a value of data.type.
type PushType struct{ Name, Tells, Record, Channel string }

// PushTopic is a topic that phones subscribe to.
type PushTopic struct{ Name, Who, Tells string }

// MountPush serves the page about push messages.
func MountPush(k *api.Kernel, p Push) error {
	page, err := p.page(k)
	if err != nil {
		return err
	}
	serve(k, map[string]func() *asset{
		"/api-docs/push": sync.OnceValue(func() *asset { return newAsset("text/html; charset=utf-8", page) }),
	})
	return nil
}

func (p Push) page(k *api.Kernel) ([]byte, error) {
	s := newSchemas(k)
	var out strings.Builder
	out.WriteString(pageHead("Push messages", ` · <a href="/api-docs/live">The live channel</a>`))
	say := func(text string) { fmt.Fprintf(&out, "<p>%s</p>", inHTML(text)) }
	rows := func(lines [][]string) {
		out.WriteString("<table>")
		for _, line := range lines {
			out.WriteString("<tr>")
			for _, cell := range line {
				fmt.Fprintf(&out, "<td>%s</td>", inHTML(cell))
			}
			out.WriteString("</tr>")
		}
		out.WriteString("</table>")
	}

	out.WriteString("<h2>To a phone</h2>")
	say("By Firebase Cloud Messaging. Register the device's token at each start of the app, `POST /teacher/notification/token` with " +
		"`fcmToken` " +
		"(parents, drivers and the office have the same row): it belongs to the session that registered it, and gets nothing once that " +
		"has ended. " +
		"`notification` has `title` and `body` for a locked screen: no marks, amounts or reasons, and no child's name. " +
		"What there is to read the app asks for, with its token. `aps.badge` is how many notifications the user has not read, `aps.sound` is " +
		"`default`, " +
		"and Android's priority is `high`. `data`:")
	if err := s.fieldTable(&out, schemaUse{t: reflect.TypeOf(p.Data)}); err != nil {
		return nil, fmt.Errorf("a push message's data: %w", err)
	}

	out.WriteString("<h2>Types and Android's channels</h2>")
	say("`data.type`, what has happened, what `data.id` names, and `android.channel_id`: make these channels when the app starts.")
	var lines [][]string
	for _, t := range p.Types {
		lines = append(lines, []string{"`" + t.Name + "`", t.Tells, t.Record, "`" + t.Channel + "`"})
	}
	rows(lines)

	out.WriteString("<h2>Topics</h2>")
	say("An app subscribes its phone to topics by itself. Anybody may hear a topic, so those of a child and of a teacher say only " +
		"that there is " +
		"something to read: the school's name, `data.type` and `data.id`. The same notice comes to the device too, with the same " +
		"`deliveryId`. " +
		"The service takes a phone off a topic when its user may not hear it any more.")
	lines = nil
	for _, t := range p.Topics {
		lines = append(lines, []string{"`" + t.Name + "`", t.Who, t.Tells})
	}
	rows(lines)

	out.WriteString("<h2>To a browser</h2>")
	say("Web push (RFC 8030, 8291, 8292), without an account anywhere. `GET /parent/notification/web-push` answers with the public key for " +
		"`pushManager.subscribe`, `POST` takes the subscription, `POST …/web-push/end` ends it; teachers and drivers have the same rows. " +
		"The browser decrypts the message; it is JSON:")
	if err := s.fieldTable(&out, schemaUse{t: reflect.TypeOf(p.Web)}); err != nil {
		return nil, fmt.Errorf("a browser's message: %w", err)
	}
	var kept []string
	for _, t := range p.Types {
		if d, ok := p.Kept[t.Name]; ok {
			kept = append(kept, fmt.Sprintf("%g hours for `%s`", d.Hours(), t.Name))
		}
	}
	say(fmt.Sprintf("A push service keeps it for a browser that is off: %s, %g days for everything else. Those named and what is urgent "+
		"have the urgency `high`.",
		strings.Join(kept, ", "), p.Else.Hours()/24))

	out.WriteString("<h2>What was sent</h2><p>" + inHTML("Whether or not a push arrives, `GET /parent/notification/delivered-notifications` "+
		"has every notice, newest first, with the same `type` and in `data` the same `id` and `studentId`.") + "</p></main></body></html>\n")
	return []byte(out.String()), nil
}
