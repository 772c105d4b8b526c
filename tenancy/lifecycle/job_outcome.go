package lifecycle

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// JobOutcome is how work on a job ended.
type JobOutcome string

// The outcomes there are.
const (
	JobDone    JobOutcome = "done"
	JobPutBack JobOutcome = "put back" // goes on later: it is long, or the instance stops
	JobGivenUp JobOutcome = "given up" // there is nothing to be done any more
	JobFailed  JobOutcome = "failed"   // and is tried again while tries are left
)

func outcomeOf(err error) JobOutcome {
	switch {
	case err == nil:
		return JobDone
	case errors.Is(err, &rivertype.JobSnoozeError{}):
		return JobPutBack
	case errors.Is(err, &rivertype.JobCancelError{}):
		return JobGivenUp
	}
	return JobFailed
}

// jobCounter stands around every job.
type jobCounter struct {
	river.WorkerMiddlewareDefaults
	worked func(kind string, outcome JobOutcome)
}

func counting(worked func(string, JobOutcome)) []rivertype.Middleware {
	if worked == nil {
		return nil
	}
	return []rivertype.Middleware{&jobCounter{worked: worked}}
}

// nameOf is what a job does: its kind, or the work that it names.
func nameOf(job *rivertype.JobRow) string {
	var args struct{ Work string }
	if err := json.Unmarshal(job.EncodedArgs, &args); err != nil || args.Work == "" {
		return job.Kind
	}
	return args.Work
}

func (c *jobCounter) Work(ctx context.Context, job *rivertype.JobRow, inner func(context.Context) error) error {
	outcome := JobFailed // of one that panics too
	defer func() { c.worked(nameOf(job), outcome) }()
	err := inner(ctx)
	outcome = outcomeOf(err)
	return err
}
