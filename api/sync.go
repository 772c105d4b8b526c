package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

const (
	// SinceParameter asks a list for what has changed since the caller's last answer.
	SinceParameter = "updatedSince"
	// SinceStart is its value for a caller who has nothing of the list yet.
	SinceStart = "start"
	// SyncDays is how long it is remembered what a caller has of a list, after they last asked.
	SyncDays = 30
	// MaxSynced is how many records a list may have that is asked for its changes.
	MaxSynced = 20_000
)

// Sync is beside the records of an answer to updatedSince: what else a caller needs to have the list as it is.
type Sync struct {
	Removed   []uuid.UUID `json:"removed" doc:"Records to delete from your copy: they are gone, or not for you any more."`
	Next      string      `json:"next" doc:"The updatedSince of your next call, as it is. Keep it with the records."`
	More      bool        `json:"more" doc:"There is more already: call again now, with next."`
	StartAnew bool        `json:"startAnew" doc:"Delete your copy first: this and what follows is the whole list."`
}

// synced says where in a row's answer the list is that callers may keep a copy of.
type synced struct {
	field  string    // on the wire
	index  []int     // of the list in the answer; nil: it has none
	id     []int     // of the id in a record; nil: it has none
	askAll func(any) // makes a request one for the whole list
}

// Syncs is for lists that apps and other programs keep a copy of. With updatedSince they answer with what has changed since the
// caller's last answer, and what is gone, page by page; nothing comes twice or is left out, whatever others write meanwhile.
//
// What has changed is found by comparing the whole list as this caller sees it with what they were sent, not by stamps: so a
// record that is no longer theirs counts as removed, as does one that a new day hides; what stands in other tables counts as
// changed, and a change that is committed late is found by the next call.
func Syncs(r *Row) { r.sync = syncedIn(r, "items") }

// SyncsField is Syncs for an answer that has a list under a name of its own, whole. askAll makes a request that asks for a
// page one for everything that callers may keep; nil: the row has no pages.
func SyncsField[Req any](field string, askAll func(*Req)) Option {
	return func(r *Row) {
		if r.Request != reflect.TypeFor[Req]() {
			panic(fmt.Sprintf("row %s takes %v, not %v", r.Name(), r.Request, reflect.TypeFor[Req]()))
		}
		r.sync = syncedIn(r, field)
		if askAll != nil {
			r.sync.askAll = func(req any) { askAll(req.(*Req)) }
		}
	}
}

// GivesChanges reports whether the row takes updatedSince.
func (r *Row) GivesChanges() bool { return r.sync != nil }

func syncedIn(r *Row, field string) *synced {
	s := &synced{field: field}
	if r.Response.Kind() != reflect.Struct {
		return s
	}
	for _, f := range reflect.VisibleFields(r.Response) {
		if JSONName(f) == field && f.Type.Kind() == reflect.Slice {
			s.index = f.Index
			s.id = idIn(f.Type.Elem())
		}
	}
	return s
}

func idIn(record reflect.Type) []int {
	if record.Kind() != reflect.Struct {
		return nil
	}
	if f, found := record.FieldByName("ID"); found && f.Type == reflect.TypeFor[uuid.UUID]() && JSONName(f) != "" {
		return f.Index
	}
	return nil
}

// check refuses a row whose answer has no list of records.
func (s *synced) check(r *Row) error {
	switch {
	case r.Kind() != KindSchool || r.Action != Read || r.Answers() != Answers{Record: r.Response}:
		return fmt.Errorf("row %s gives its changes: only a school's reads may", r.Name())
	case s.index == nil || s.id == nil:
		return fmt.Errorf("row %s gives its changes, but its answer has no %s with an id each", r.Name(), s.field)
	case r.Listing != nil && !r.paged():
		return fmt.Errorf("row %s gives its changes, but its answer is no api.Page", r.Name())
	}
	return nil
}

// since is what a caller who keeps a copy asks with.
type since struct {
	list string    // which list, and by which filters
	to   uuid.UUID // the copy they have, or are being sent; nil: none
	from uuid.UUID // the one before, while pages of the difference are left
	at   int       // how much of the difference they were sent; 0: they have all
}

func (s since) next() string {
	raw := s.to[:]
	if s.at > 0 {
		raw = binary.BigEndian.AppendUint32(append(bytes.Clone(raw), s.from[:]...), uint32(s.at))
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func (s *since) read(text string) bool {
	if text == SinceStart {
		return true
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	switch {
	case err != nil:
		return false
	case len(raw) == 16:
		s.to = uuid.UUID(raw)
	case len(raw) == 36:
		s.to, s.from, s.at = uuid.UUID(raw[:16]), uuid.UUID(raw[16:32]), int(binary.BigEndian.Uint32(raw[32:]))
	}
	return s.to != uuid.Nil
}

// sentSince reads updatedSince from the query or the body; nil: it was not sent.
func (r *Row) sentSince(g *gin.Context, query url.Values, body []byte, d *diagnosis) (*since, error) {
	var sent struct {
		Data map[string]any `json:"data"`
	}
	if body != nil {
		_ = json.Unmarshal(body, &sent) // what is wrong with it is said where it is bound
	}
	text, inBody := "", sent.Data[SinceParameter] != nil
	if inBody {
		text, _ = sent.Data[SinceParameter].(string)
	}
	if query.Has(SinceParameter) {
		if inBody {
			return nil, Malformed("%s is in both the query and the body", SinceParameter)
		}
		text = query.Get(SinceParameter)
	} else if !inBody {
		return nil, nil
	}
	s := since{list: listKey(g.Request.URL.Path, query, sent.Data)}
	if !s.read(text) {
		d.details = append(d.details, Wrong(SinceParameter, "must be %s, or sync.next of the last answer", SinceStart))
		return nil, nil
	}
	return &s, nil
}

// listKey tells lists apart: what the caller has of one says nothing of another.
func listKey(path string, query url.Values, data map[string]any) string {
	params := url.Values{}
	for name, values := range query {
		if name != SinceParameter && name != "limit" {
			params[name] = values
		}
	}
	filters := map[string]any{}
	for name, value := range data {
		if name != SinceParameter && name != "limit" {
			filters[name] = value
		}
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s?%s\n", path, params.Encode())
	h.Write(marshal(filters))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}
