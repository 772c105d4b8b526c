package events

import (
	"context"
	"errors"
	"time"
)

// work looks at one school after the other, a batch at a time: a school with a
// long outbox goes back to the end of the queue after each.
func (r *Relay) work(ctx context.Context) {
	for {
		j, ok := r.docket.take(ctx)
		if !ok {
			return
		}
		r.docket.done(j, r.look(ctx, j), time.Now())
	}
}

// look tells what is due and, once nothing is, takes the school's marks back.
func (r *Relay) look(ctx context.Context, j job) (f finding) {
	f.batchResult, f.err = r.publishBatch(ctx, j.school)
	if errors.Is(f.err, ErrGone) {
		f = finding{} // nothing there, and nothing will be
	}
	if f.err != nil {
		r.log.Warn("an outbox could not be worked on", "school", j.school, "error", f.err)
		return f
	}
	if f.next != nil {
		f.until = f.next.Sub(r.clock())
	}
	if !f.busy && (f.next == nil || f.until > 0) {
		noted, err := r.marks.settle(ctx, j.school, f.next, j.settle)
		f.settled, f.noted = err == nil, noted
	}
	return f
}

// watch asks Redis which schools want a look: one call a poll, however many
// schools there are.
func (r *Relay) watch(ctx context.Context) {
	var offset int64
	var away time.Time // since when Redis fails
	every(ctx, r.poll, func() {
		now := r.clock()
		page, epoch, full, err := r.marks.due(ctx, now.UnixMicro(), offset)
		if err != nil {
			offset = 0
			if away.IsZero() {
				away = now
			}
			return
		}
		if !away.IsZero() {
			r.sweeper.doubt(away, now) // some other process may have died with marks Redis did not take
			away = time.Time{}
		}
		if offset == 0 {
			r.sweeper.saw(epoch)
		}
		r.docket.sight(page, !full, time.Now())
		if offset += pageSize; !full {
			offset = 0
		}
		for school, score := range r.docket.lost() {
			if r.marks.put(ctx, school, score) != nil {
				return
			}
			r.docket.remade(school, score)
		}
	})
}
