package tenancy

import "hash/maphash"

// plans are the statements that a connection keeps for one school each.
//
// Postgres forgets how it meant to run a prepared statement when the search_path is not
// what it was the last time: on a connection that many schools share nearly every
// statement is planned anew, which costs more than running it. So what a school asks
// often on a connection is prepared for that school alone, under a text of its own. It
// is the same text behind a comment that says whose it is; the binding, and nothing
// else, decides whose tables it reads.
type plans struct {
	seed  maphash.Seed
	first string           // the school that came first
	many  bool             // another has come since
	asked map[uint64]uint8 // how often lately, of what has no plan of its own
	kept  map[uint64]*plan
	now   int // statements so far: a connection's clock
	swept int
}

type plan struct {
	schema, sql string // whose, and what it would be for everybody
	text        string
	used        int // when last
}

const (
	// plansKept is how many statements of single schools a connection keeps at most.
	// Postgres holds some 60 kB for each.
	plansKept = 512
	// plansAfter is how often a school asks before a statement is prepared for it: that
	// costs a round trip, and what a school asks once a day is not worth it.
	plansAfter = 3
	// plansRest is after how many statements of others one that was not used may go. Were
	// it less, more schools than there is room for would drive each other out for ever.
	plansRest = 16 * plansKept
	// plansAsked is how many are counted at once. Where schools are so many that this
	// is too few, none asks often.
	plansAsked = 8 * plansKept
)

func newPlans() *plans {
	return &plans{seed: maphash.MakeSeed(), asked: map[uint64]uint8{}, kept: map[uint64]*plan{}}
}

// text is what to send for a school's statement. A nil p keeps nothing.
func (p *plans) text(schema, sql string) string {
	if p == nil {
		return sql
	}
	if p.first == "" {
		p.first = schema
	}
	if p.many = p.many || schema != p.first; !p.many {
		return sql // of the only one Postgres forgets nothing
	}
	p.now++
	key := maphash.String(p.seed, schema)*31 + maphash.String(p.seed, sql)
	if own := p.kept[key]; own != nil {
		if own.schema != schema || own.sql != sql { // another statement has the same key
			return sql
		}
		own.used = p.now
		return own.text
	}
	if p.asked[key]++; p.asked[key] < plansAfter || !p.room() {
		if len(p.asked) > plansAsked {
			clear(p.asked)
		}
		return sql
	}
	delete(p.asked, key)
	text := "/* " + schema + " */ " + sql
	p.kept[key] = &plan{schema: schema, sql: text[len(text)-len(sql):], text: text, used: p.now}
	return text
}

// room reports whether one more can be kept, now that those are gone which nobody uses.
func (p *plans) room() bool {
	if len(p.kept) < plansKept {
		return true
	}
	if p.now-p.swept < plansKept {
		return false // there was none a moment ago
	}
	p.swept = p.now
	for key, own := range p.kept {
		if p.now-own.used > plansRest {
			delete(p.kept, key) // pgx closes it when it has another in its place
		}
	}
	return len(p.kept) < plansKept
}
