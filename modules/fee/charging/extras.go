package charging

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/modules/fee/ledger"
	"homeroom/tenancy"
)

// extras are what a charge must know of its structure's optional heads: who is subscribed,
// where they ride, and what they were billed for each head in the year so far.
type extras struct {
	structure Structure
	year      ledger.SchoolYear
	subs      map[studentHead][]Subscription
	rides     map[uuid.UUID][]Ride
	billed    map[studentHead]int64
	unpriced  map[uuid.UUID]bool // subscribers who ride nowhere that has an amount
}

type studentHead struct{ student, head uuid.UUID }

// billedSQL is what students ($1) were billed in a year ($2) for heads ($3): by the
// structure $4, and by those of other classes unless that was waived.
const billedSQL = `select v.student_id, (l ->> 'feeHeadId')::uuid as fee_head_id, sum((l ->> 'amount')::bigint)::bigint as amount
	from fee_invoice v cross join lateral jsonb_array_elements(v.lines) l
	where v.student_id = any($1) and v.academic_year_id = $2 and v.structure_id is not null and (l ->> 'feeHeadId')::uuid = any($3)
		and (v.structure_id = $4
			or (select sum(case e.entry_type when 'DR' then e.amount else -e.amount end) from ledger_entry e
				where e.account_id = v.student_id and e.invoice_id = v.id) > 0)
	group by 1, 2`

func (m *Endpoints) extras(c api.Ctx, s Structure, year ledger.SchoolYear, students []uuid.UUID) (extras, error) {
	out := extras{structure: s, year: year, subs: map[studentHead][]Subscription{}, rides: map[uuid.UUID][]Ride{},
		billed: map[studentHead]int64{}, unpriced: map[uuid.UUID]bool{}}
	var heads []uuid.UUID
	riding := false
	for _, h := range s.Heads {
		if h.Optional {
			heads, riding = append(heads, h.FeeHeadID), riding || h.AmountBy == "ROUTE" || h.AmountBy == "STOP"
		}
	}
	if heads == nil {
		return out, nil
	}
	var subs []Subscription
	var billed []struct {
		StudentID uuid.UUID
		FeeHeadID uuid.UUID
		Amount    int64
	}
	err := tenancy.Pipeline(c.DB,
		tenancy.Query{SQL: `select student_id, fee_head_id, option_id, from_date, to_date from fee_subscription
			where student_id = any($1) and fee_head_id = any($2) and from_date <= $4 and (to_date is null or to_date >= $3)
			order by student_id, fee_head_id, from_date`,
			Args: []any{students, heads, year.StartDate, year.EndDate}, Scan: tenancy.Collect(&subs)},
		tenancy.Query{SQL: billedSQL, Args: []any{students, year.ID, heads, s.ID}, Scan: tenancy.Collect(&billed)})
	if err != nil {
		return out, fmt.Errorf("reading who is subscribed: %w", err)
	}
	for _, sub := range subs {
		key := studentHead{sub.StudentID, sub.FeeHeadID}
		out.subs[key] = append(out.subs[key], sub)
	}
	for _, b := range billed {
		out.billed[studentHead{b.StudentID, b.FeeHeadID}] = b.Amount
	}
	if riding && len(subs) > 0 {
		rides, err := m.Transport.Rides(c, students, year.StartDate, year.EndDate)
		if err != nil {
			return out, err
		}
		for _, r := range rides {
			out.rides[r.StudentID] = append(out.rides[r.StudentID], r)
		}
	}
	return out, nil
}

// line is what a student pays under an optional head with an instalment: what their
// subscription costs up to the instalment's part of the year, less what they were billed
// before. So who subscribes after an instalment was charged pays for those days with the
// next one, and a change of option or stop is made good by itself.
func (x extras) line(h StructureHead, student uuid.UUID, joined api.Date, count proRata, s span) ledger.InvoiceLine {
	key := studentHead{student, h.FeeHeadID}
	line := ledger.InvoiceLine{Name: h.Name}
	lists := x.pieces(h, x.subs[key], x.rides[student], joined)
	for _, direction := range slices.Sorted(maps.Keys(lists)) {
		run := lists[direction]
		for i := range run {
			run[i].clip(x.year, count)
		}
		cost, named := run.cost(x.year, count, s, x.structure.ProRata)
		line.Amount += cost
		if named != "" && cost > 0 {
			line.Name = h.Name + ": " + named
		}
	}
	if x.structure.ProRata {
		line.Amount = max(0, line.Amount-x.billed[key])
	}
	return line
}

// pieces are the times of a year a student pays for, each with the price of a whole year;
// those of a list follow each other. By route or stop there is a list for each direction.
func (x extras) pieces(h StructureHead, subs []Subscription, rides []Ride, joined api.Date) map[string]pieces {
	out := map[string]pieces{}
	for _, sub := range subs {
		from, to := later(sub.FromDate, joined), x.year.EndDate
		if sub.ToDate != nil && sub.ToDate.Before(to) {
			to = *sub.ToDate
		}
		option, _ := HeadFields{Amounts: h.amounts}.option(sub.OptionID)
		priced := false
		for _, r := range rides {
			price, ok := h.priceOf(r)
			if !ok {
				continue
			}
			priced = true
			p := piece{from: later(from, r.StartDate), to: to, amount: int64(price.Amount), name: price.Name}
			if r.EndDate != nil && r.EndDate.Before(to) {
				p.to = *r.EndDate
			}
			out[r.Direction] = append(out[r.Direction], p)
		}
		switch {
		case priced:
		case option.ID != nil:
			out[""] = append(out[""], piece{from: from, to: to, amount: int64(option.Amount), name: option.Name})
		default:
			out[""] = append(out[""], piece{from: from, to: to, amount: int64(h.Amount)})
			x.unpriced[sub.StudentID] = x.unpriced[sub.StudentID] || h.Amount == 0
		}
	}
	return out
}

// priceOf is the head's amount for a ride.
func (h StructureHead) priceOf(r Ride) (HeadAmount, bool) {
	for _, a := range h.amounts {
		if (h.AmountBy == "ROUTE" && a.RouteID != nil && *a.RouteID == r.RouteID) ||
			(h.AmountBy == "STOP" && a.StopID != nil && *a.StopID == r.StopID) {
			return a, true
		}
	}
	return HeadAmount{}, false
}

// piece is a time for which a student pays, and the price of a whole year.
type piece struct {
	from, to   api.Date
	amount     int64
	name       string
	start, end int64 // in months or days of the year, the end not included
}

type pieces []piece

// clip counts the piece in the year's months or days.
func (p *piece) clip(year ledger.SchoolYear, count proRata) {
	if p.to.Before(p.from) || p.to.Before(year.StartDate) {
		return
	}
	p.start, p.end = count.between(year.StartDate, later(p.from, year.StartDate)), count.between(year.StartDate, p.to)+1
}

// cost is what the pieces cost up to the end of a span of the year, and the name of the last.
// A month in which one follows another is the first's. Without pro rata, who has the head
// during the span pays for the span.
func (list pieces) cost(year ledger.SchoolYear, count proRata, s span, partly bool) (sum int64, name string) {
	units, done := count.between(year.StartDate, year.EndDate)+1, int64(0)
	for _, p := range list {
		start := max(p.start, done)
		until := min(p.end*whole, s.to*units)
		if until <= start*whole {
			continue
		}
		done = p.end
		switch {
		case !partly:
			if p.end*whole > s.from*units {
				sum, name = s.of(p.amount), p.name
			}
		case start == 0 && p.end == units:
			sum, name = sum+ledger.Part(p.amount, s.to, whole), p.name
		default:
			n := ledger.Part(p.amount, until-start*whole, units*whole*count.FeeRoundTo) * count.FeeRoundTo
			sum, name = sum+min(p.amount, n), p.name
		}
	}
	return sum, name
}

func later(a, b api.Date) api.Date {
	if a.Before(b) {
		return b
	}
	return a
}
