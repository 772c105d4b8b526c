package api

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"homeroom/tenancy"
)

// listCopy is a list as a caller was sent it.
type listCopy struct {
	id, base uuid.UUID
	usedAt   time.Time
	records  []copied // in the order of the list
	sums     map[uuid.UUID]uint64
}

// copied is one record of it.
type copied struct {
	id  uuid.UUID
	sum uint64 // of its JSON
}

const copiedSize = 16 + 8

func (c *listCopy) add(r copied) {
	if _, twice := c.sums[r.id]; !twice {
		c.records = append(c.records, r)
		c.sums[r.id] = r.sum
	}
}

func newCopy(n int) *listCopy {
	return &listCopy{id: uuid.New(), records: make([]copied, 0, n), sums: make(map[uuid.UUID]uint64, n)}
}

// lacks are the records of now that the copy has not, or has as they were.
func (c *listCopy) lacks(now *listCopy) (ids []uuid.UUID) {
	for _, r := range now.records {
		if sum, known := c.sums[r.id]; !known || sum != r.sum {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// exceeds are the records of the copy that are not in now.
func (c *listCopy) exceeds(now *listCopy) []uuid.UUID {
	ids := []uuid.UUID{}
	for _, r := range c.records {
		if _, there := now.sums[r.id]; !there {
			ids = append(ids, r.id)
		}
	}
	return ids
}

func (c *listCopy) encode() []byte {
	out := make([]byte, 0, len(c.records)*copiedSize)
	for _, r := range c.records {
		out = binary.BigEndian.AppendUint64(append(out, r.id[:]...), r.sum)
	}
	return out
}

func (c *listCopy) decode(raw []byte) {
	for ; len(raw) >= copiedSize; raw = raw[copiedSize:] {
		c.add(copied{uuid.UUID(raw[:16]), binary.BigEndian.Uint64(raw[16:copiedSize])})
	}
}

// sync answers a caller who keeps a copy of a list.
func (k *Kernel) sync(ctx context.Context, row *Row, rq *request, req any) (answer, error) {
	db, err := k.Databases.School(ctx, rq.school, tenancy.ReadWrite)
	if err != nil {
		return nil, err
	}
	copies, err := readCopies(db, rq)
	if err != nil {
		return nil, err
	}
	had, begun := copies[rq.since.to], rq.since.at > 0
	was := had
	if begun { // the difference of two copies is being sent
		was = copies[rq.since.from]
		if had == nil || was == nil && rq.since.from != uuid.Nil {
			begun, had, was = false, nil, nil
		}
	}
	reading := listReading{kernel: k, row: row, rq: rq, req: req}
	now := had
	if !begun {
		if now, err = reading.all(ctx); err != nil {
			return nil, err
		}
	}
	anew := was == nil
	if anew {
		was = newCopy(0)
	}
	changed := was.lacks(now)
	out := Sync{Removed: []uuid.UUID{}, StartAnew: anew && !begun}
	if !begun {
		out.Removed = was.exceeds(now)
		if now, err = keepCopy(db, rq, was, now, anew || len(changed)+len(out.Removed) > 0); err != nil {
			return nil, err
		}
	}
	next := since{to: now.id}
	first, limit := 0, max(1, len(changed))
	if l, isList := req.(*ListRequest); isList {
		limit = l.Limit
	}
	if begun {
		first = min(rq.since.at, len(changed))
	}
	last := min(first+limit, len(changed))
	if out.More = last < len(changed); out.More {
		next.at = last
		if !anew {
			next.from = was.id
		}
	}
	out.Next = next.next()
	body, err := reading.some(ctx, changed[first:last], Page[copied]{
		Total: len(changed), Page: first/limit + 1, Limit: limit, TotalPages: (len(changed) + limit - 1) / limit,
	})
	if err != nil {
		return nil, err
	}
	// The answer is the row's own with one more field.
	body = append(body[:len(body)-1], `,"sync":`...)
	body = append(append(body, marshal(out)...), '}')
	return row.answer(json.RawMessage(body))
}

// readCopies reads the copies that the caller asks with, as far as they are theirs, and of this list.
func readCopies(db *gorm.DB, rq *request) (map[uuid.UUID]*listCopy, error) {
	found := map[uuid.UUID]*listCopy{}
	if rq.since.to == uuid.Nil {
		return found, nil
	}
	err := tenancy.Pipeline(db, tenancy.Query{
		SQL:  `select id, coalesce(base_id, id), used_at, records from list_copy where user_id = $1 and list = $2 and id = any($3)`,
		Args: []any{rq.user.ID, rq.since.list, []uuid.UUID{rq.since.to, rq.since.from}},
		Scan: func(rows pgx.Rows) error {
			for rows.Next() {
				c := newCopy(0)
				var raw []byte
				if err := rows.Scan(&c.id, &c.base, &c.usedAt, &raw); err != nil {
					return err
				}
				c.decode(raw)
				found[c.id] = c
			}
			return rows.Err()
		},
	})
	if err != nil {
		return nil, fmt.Errorf("reading what a caller has of a list: %w", err)
	}
	return found, nil
}

// maxCopies is how many copies of a list are kept for a user: for so many devices. Who comes with another one starts anew.
const maxCopies = 20

// keepCopy keeps what the caller will have, and forgets what the copy they have came of: that they have it, they have shown.
// It returns the copy they are to ask with, the old one where nothing is new.
func keepCopy(db *gorm.DB, rq *request, was, now *listCopy, isNew bool) (*listCopy, error) {
	if !isNew {
		if rq.now.Sub(was.usedAt) < 24*time.Hour {
			return was, nil
		}
		if err := db.Exec(`update list_copy set used_at = ? where id = ?`, rq.now, was.id).Error; err != nil {
			return nil, fmt.Errorf("keeping what a caller has of a list: %w", err)
		}
		return was, nil
	}
	var base, before *uuid.UUID
	if !was.usedAt.IsZero() {
		base = &was.id
		if was.base != was.id {
			before = &was.base
		}
	}
	err := db.Exec(`with gone as (delete from list_copy where user_id = @user and list = @list and (id = @before
			or id = any(array(select id from list_copy where user_id = @user and list = @list order by used_at desc offset @most))))
		insert into list_copy (id, user_id, list, base_id, records, used_at) values (@id, @user, @list, @base, @records, @now)`,
		map[string]any{"id": now.id, "user": rq.user.ID, "list": rq.since.list, "base": base, "before": before,
			"records": now.encode(), "now": rq.now, "most": maxCopies - 1}).Error
	if err != nil {
		return nil, fmt.Errorf("keeping what a caller has of a list: %w", err)
	}
	return now, nil
}

// listReading reads a row's list as its caller sees it.
type listReading struct {
	kernel *Kernel
	row    *Row
	rq     *request
	req    any
	whole  any // the answer of a row without pages
}

func (r *listReading) call(ctx context.Context, req any) (any, error) {
	resp, _, err := r.kernel.callRead(ctx, r.row, r.rq, req, tenancy.ReadOnly)
	return resp, err
}

// all reads the whole list, for what its records are now.
func (r *listReading) all(ctx context.Context) (*listCopy, error) {
	now := newCopy(0)
	asked, isList := r.req.(*ListRequest)
	if !isList {
		err := r.readWhole(ctx)
		if err == nil {
			err = now.addAll(r.row.sync, r.whole)
		}
		return now, err
	}
	l := *asked
	l.Page, l.Limit, l.whole = 1, partSize, &wholeList{}
	for ; ; l.Page++ {
		page, err := r.call(ctx, &l)
		if err != nil {
			return nil, err
		}
		if len(l.whole.ids) > MaxSynced {
			return nil, errManyRecords
		}
		if err := now.addAll(r.row.sync, page); err != nil {
			return nil, err
		}
		if l.Offset()+l.Limit >= len(l.whole.ids) {
			return now, nil
		}
	}
}

var errManyRecords = newError(413, "", "The list has more than %d records. Choose a filter", MaxSynced)

func (r *listReading) readWhole(ctx context.Context) (err error) {
	if r.whole == nil {
		if r.row.sync.askAll != nil {
			r.row.sync.askAll(r.req)
		}
		r.whole, err = r.call(ctx, r.req)
	}
	return err
}

// addAll adds the records of an answer.
func (c *listCopy) addAll(s *synced, resp any) error {
	list := reflect.ValueOf(resp).FieldByIndex(s.index)
	for i := range list.Len() {
		record := list.Index(i)
		raw, err := json.Marshal(record.Interface())
		if err != nil {
			return fmt.Errorf("writing a record of a list: %w", err)
		}
		c.add(copied{record.FieldByIndex(s.id).Interface().(uuid.UUID), xxhash.Sum64(raw)})
	}
	return nil
}

// some is the row's answer with these records alone, as JSON. A page of a list says of itself what counts says.
func (r *listReading) some(ctx context.Context, ids []uuid.UUID, counts Page[copied]) ([]byte, error) {
	out := reflect.New(r.row.Response).Elem()
	list := out.FieldByIndex(r.row.sync.index)
	asked, isList := r.req.(*ListRequest)
	switch {
	case !isList:
		if err := r.readWhole(ctx); err != nil {
			return nil, err
		}
		out.Set(reflect.ValueOf(r.whole))
		wanted := make(map[uuid.UUID]bool, len(ids))
		for _, id := range ids {
			wanted[id] = true
		}
		chosen := reflect.MakeSlice(list.Type(), 0, len(ids))
		for i := range list.Len() {
			if record := list.Index(i); wanted[record.FieldByIndex(r.row.sync.id).Interface().(uuid.UUID)] {
				chosen = reflect.Append(chosen, record)
			}
		}
		list.Set(chosen)
	case len(ids) == 0:
		list.Set(reflect.MakeSlice(list.Type(), 0, 0))
	default:
		l := *asked
		l.Page, l.Limit, l.whole = 1, len(ids), &wholeList{ids: ids, known: true}
		page, err := r.call(ctx, &l)
		if err != nil {
			return nil, err
		}
		out.Set(reflect.ValueOf(page))
	}
	if isList {
		out.FieldByName("Total").SetInt(int64(counts.Total))
		out.FieldByName("Page").SetInt(int64(counts.Page))
		out.FieldByName("Limit").SetInt(int64(counts.Limit))
		out.FieldByName("TotalPages").SetInt(int64(counts.TotalPages))
	}
	raw, err := json.Marshal(out.Interface())
	if err != nil {
		return nil, fmt.Errorf("writing the changes of %s: %w", r.row.Name(), err)
	}
	return raw, nil
}

// clearCopies deletes what callers had of lists they ask for no more.
func clearCopies(_ context.Context, at SchoolWork) error {
	err := at.DB.Exec(`delete from list_copy where used_at < ?`, at.Now.Add(-SyncDays*24*time.Hour)).Error
	if err != nil {
		return fmt.Errorf("clearing what callers had of lists: %w", err)
	}
	return nil
}
