//go:build unix

package localstack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// Options say which servers to run and how carefully they keep their data.
type Options struct {
	Dir      string   // data folder; logs, ports and passwords live under it too
	Postgres []string // names of the Postgres servers to run, for example {"main"} or {"main", "north"}
	Redis    bool

	// AllowMiniredis lets an in-process imitation stand in where no redis-server is installed. It forgets everything
	// when the program ends and speaks only part of the protocol, so tests never set it.
	AllowMiniredis bool

	// Durable servers fsync and keep their data. The others are fast, and vanish with their data when they are stopped
	// or when the process that started them is gone.
	Durable bool

	// Crashable servers keep what they acknowledged when they are killed, and are otherwise as those that are not durable:
	// for tests of crashes of a server, which are not crashes of the machine.
	Crashable bool

	// TLS has the servers take connections by TLS alone. Postgres's address names the authority of its certificate, and
	// RedisAuthority that of Redis's.
	TLS bool

	shared         bool                             // see Shared
	MaxConnections int                              // of each Postgres; 100 unless said
	Grace          time.Duration                    // Shared only: how long idle servers wait for the next test binary; 5 min unless said
	Log            func(format string, args ...any) // progress in plain words; nil is silence
}

// Names become folder names, and are part of nothing else.
var serverName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,30}$`)

// prepare checks the options, finds the programs and makes the folder. It starts nothing.
func prepare(o Options) (*Stack, error) {
	if o.Dir == "" {
		return nil, errors.New("localstack: Options.Dir is empty")
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 100
	}
	o.Log = oneAtATime(o.Log)
	s := &Stack{options: o, postgres: map[string]*postgres{}}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	if s.account, err = serverAccount(o.Dir); err != nil {
		return nil, err
	}
	if s.dir, err = s.account.folder(o.Dir); err != nil {
		return nil, err
	}
	if s.dir != o.Dir {
		o.Log("%s is closed to the user %s, so the data is in %s", o.Dir, s.account.name, s.dir)
	}
	if err := s.findPrograms(); err != nil {
		_ = os.Remove(s.dir) // if it is empty, it was only made to look
		return nil, err
	}
	return s, nil
}

// findPrograms describes every server asked for, and reports all that are missing in one error.
func (s *Stack) findPrograms() error {
	var missing missing
	for _, name := range s.options.Postgres {
		if !serverName.MatchString(name) {
			return fmt.Errorf("localstack: %q is no name for a Postgres server: small letters, digits, - and _", name)
		}
		programs, tried := findPostgres(s.account, filepath.Join(s.dir, "postgres-"+name, "data"))
		if programs == nil {
			missing.add("Postgres", tried)
			break
		}
		s.postgres[name] = newPostgres(s, name, *programs)
	}
	if s.options.Redis {
		program, tried := findRedis(s.account)
		switch {
		case program != "":
			s.redis = newRedis(s, program)
		case s.options.AllowMiniredis:
			s.mini = &mini{}
		default:
			missing.add("Redis", tried)
		}
	}
	return missing.asError()
}

// oneAtATime lets the servers, which start side by side, speak to a listener that is not prepared for it.
func oneAtATime(listener func(string, ...any)) func(string, ...any) {
	var mutex sync.Mutex
	return func(format string, args ...any) {
		if listener != nil {
			mutex.Lock()
			defer mutex.Unlock()
			listener(format, args...)
		}
	}
}
