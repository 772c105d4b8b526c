package metrics

import (
	"github.com/jackc/pgx/v5"

	"homeroom/delivery"
)

// tallies are the platform's numbers while they are read.
type tallies struct {
	byNode  map[string]*nodeTally
	schools map[[2]string]int64 // by status and node

	moving, moved, unclean int64
	stalled                float64

	jobs   map[[2]string]int64 // by queue and state
	jobAge map[string]float64

	dead, letters map[string]int64 // by channel
	letterAge     map[string]float64
}

type nodeTally struct {
	bytes, spares, behind, failed, held int64
	measured                            float64
}

func (t *tallies) node(r pgx.Rows) error {
	var name string
	var n nodeTally
	if err := r.Scan(&name, &n.bytes, &n.measured, &n.spares); err != nil {
		return err
	}
	t.byNode[name] = &n
	t.schools[[2]string{"ACTIVE", name}] = 0
	return nil
}

func (t *tallies) school(r pgx.Rows) error {
	var status, node string
	var n, behind, failed, held int64
	if err := r.Scan(&status, &node, &n, &behind, &failed, &held); err != nil {
		return err
	}
	t.schools[[2]string{status, node}] = n
	if home := t.byNode[node]; home != nil {
		home.behind += behind
		home.failed += failed
		home.held += held
	}
	return nil
}

func (t *tallies) job(r pgx.Rows) error {
	var queue, state string
	var n int64
	var age float64
	if err := r.Scan(&queue, &state, &n, &age); err != nil {
		return err
	}
	t.jobs[[2]string{queue, state}] = n
	if state == "available" {
		t.jobAge[queue] = max(age, 0)
	}
	return nil
}

// add reads a number by channel, and an age if there is one.
func add(r pgx.Rows, numbers map[string]int64, ages map[string]float64) error {
	var channel string
	var n int64
	if ages == nil {
		err := r.Scan(&channel, &n)
		numbers[channel] = n
		return err
	}
	var age float64
	err := r.Scan(&channel, &n, &age)
	numbers[channel], ages[channel] = n, age
	return err
}

// readings are the numbers as they are shown. What there is none of is 0, not missing.
func (t *tallies) readings() []reading {
	var out []reading
	say := func(f figure, value float64, labels ...string) { out = append(out, reading{f, value, labels}) }
	for key, n := range t.schools {
		say(schoolsNow, float64(n), key[0], key[1])
	}
	for name, n := range t.byNode {
		say(schoolsBehind, float64(n.behind), name)
		say(schoolsFailed, float64(n.failed), name)
		say(schoolsHeld, float64(n.held), name)
		say(nodeBytes, float64(n.bytes), name)
		say(nodeMeasured, n.measured, name)
		say(spares, float64(n.spares), name)
	}
	say(moves, float64(t.moving), "running")
	say(moves, float64(t.moved), "moved")
	say(moves, float64(t.unclean), "unclean")
	say(moveStalled, t.stalled)
	for _, queue := range []string{"default", "moves"} {
		for _, state := range []string{"available", "running", "retryable", "scheduled", "discarded"} {
			say(jobsNow, float64(t.jobs[[2]string{queue, state}]), queue, state)
		}
		say(jobsOldest, t.jobAge[queue], queue)
	}
	for _, c := range delivery.Channels {
		say(deadLetters, float64(t.dead[string(c)]), string(c))
		say(letters, float64(t.letters[string(c)]), string(c))
		say(lettersOldest, t.letterAge[string(c)], string(c))
	}
	return out
}
