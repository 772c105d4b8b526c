package imports

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"

	"homeroom/api"
	"homeroom/sheet"
)

// PlanBase is what plans of all kinds of files have.
type PlanBase struct {
	Found  *sheet.Problems
	Totals ImportResult
	sum    hash.Hash // over what will be done, and the ids and versions of the data it was decided on
	undo   any
	whole  bool // undo is of all that was written
}

// NewPlanBase begins a plan for a file with these problems so far.
func NewPlanBase(found *sheet.Problems) PlanBase { return PlanBase{Found: found, sum: sha256.New()} }

// Base is the plan's common part.
func (p *PlanBase) Base() *PlanBase { return p }

// Hash adds a line to what the plan's hash is of: what a row does, and the state of what it was decided on.
func (p *PlanBase) Hash(format string, args ...any) { fmt.Fprintf(p.sum, format+"\n", args...) }

// Skip hashes a row that is bad.
func (p *PlanBase) Skip(row int) { p.Hash("%d bad", row) }

// Remember keeps what taking the run back needs, of a kind with an Undo of its own. It is asked for after the plan was written.
func (p *PlanBase) Remember(made any) { p.undo = made }

// RememberAll is Remember of all that the plan wrote: the frame writes down none of its rows. It is for kinds that write so many rows
// of one make that a line for each would cost as much as the rows.
func (p *PlanBase) RememberAll(made any) { p.undo, p.whole = made, true }

func (p *PlanBase) made() ([]byte, error) {
	if p.undo == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(p.undo)
}

// Draft is a plan of steps that are written in the order they were added.
type Draft struct {
	PlanBase
	writes []func(api.Ctx) error
}

// Create counts a row that adds something, said in words that tell it from another plan.
func (d *Draft) Create(row int, what ...any) { d.Totals.Creates++; d.Hash("%d create %v", row, what) }

// Update counts a row that changes something; state is what it was decided on.
func (d *Draft) Update(row int, state ...any) { d.Totals.Updates++; d.Hash("%d update %v", row, state) }

// Same counts a row that changes nothing.
func (d *Draft) Same(row int, state ...any) { d.Totals.Unchanged++; d.Hash("%d same %v", row, state) }

// Sum adds to a figure of the whole file, which the dry run shows.
func (d *Draft) Sum(name string, value int64) {
	for i := range d.Totals.Sums {
		if d.Totals.Sums[i].Name == name {
			d.Totals.Sums[i].Value += value
			return
		}
	}
	d.Totals.Sums = append(d.Totals.Sums, Sum{name, value})
}

// Bad notes what is wrong with a row; column is empty when it is the row as a whole.
func (d *Draft) Bad(row int, column, format string, args ...any) {
	d.Found.Addf(row, column, format, args...)
}

// Then adds a step of writing.
func (d *Draft) Then(write func(api.Ctx) error) { d.writes = append(d.writes, write) }

// Write carries the draft out. Where no row does anything, because all are bad or as they were, no step runs: each may count on
// something to write.
func (d *Draft) Write(c api.Ctx, progress func(share float64)) error {
	if d.Totals.Creates+d.Totals.Updates == 0 {
		return nil
	}
	return WriteParts(c, progress, d.writes...)
}

// WriteParts does the parts of writing a plan one after the other.
func WriteParts(c api.Ctx, progress func(share float64), parts ...func(api.Ctx) error) error {
	for i, part := range parts {
		if err := part(c); err != nil {
			return err
		}
		progress(float64(i+1) / float64(len(parts)))
	}
	return nil
}
