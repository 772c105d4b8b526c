// Package fleet runs an installation as it is in production: several `homeroom serve`
// processes behind nginx with the configuration that is shipped, on real servers, with
// secrets and a database of their own. Only tests import it.
package fleet

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"os"
	"os/exec"
	"strings"
	"testing"

	"homeroom/localstack"
	"homeroom/testkit"
)

// Options say what an installation is made of. The zero value is three instances on one
// Redis and one Postgres, reached directly.
type Options struct {
	Instances  int    // 3 unless said
	Redis      string // "" is one server, "sentinel" or "cluster"
	Pooler     bool   // schools are reached through PgBouncer
	TwoServers bool   // the platform on one Postgres, the schools on another
	// Env are further variables of every instance and command; they win over the fleet's own.
	Env []string
	// Via puts something between the instances and a server: it is given a name, "postgres",
	// "pooler" or "redis", and host:port, and returns the host:port to use instead. Behind a
	// Sentinel or in a cluster the servers' own addresses are learnt from them, so that it
	// stands before the first only.
	Via func(name, upstream string) string
	// Standbys gives every Postgres server of Stack a synchronous standby, "main-standby" and "north-standby", and
	// instances the addresses of both.
	Standbys bool
	// StandbyReads has lists and reports answered by the standby of the schools' server, through a PgBouncer of its own
	// where the node has one. It needs Standbys.
	StandbyReads bool
	// TLS has Redis and PgBouncer reached by TLS; Postgres, and Redis where it is Stack's, are if Stack says so.
	TLS bool
	// Stack is servers of the test's own, which it may hurt: Postgres "main" (and "north" for
	// two servers) and Redis. Without it Postgres is the one all tests share.
	Stack *localstack.Stack
}

// Fleet is a running installation.
type Fleet struct {
	Instances []*Instance
	Redises   *localstack.Redises   // the Sentinel's or the cluster's servers
	Pooler    *localstack.PgBouncer // if there is one
	Texts     *Texts                // the SMS that were sent

	env     []string
	standby string // address of the schools' standby
	front   *front
}

// Start runs an installation, which ends with the test.
func Start(t testing.TB, o Options) *Fleet {
	t.Helper()
	if o.Instances == 0 {
		o.Instances = 3
	}
	if _, err := built(); err != nil {
		t.Fatal(err)
	}
	f := &Fleet{Texts: newTexts(t)}
	f.env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(),
		"HOMEROOM_SECRET=" + secret(), "HOMEROOM_JWT_KEYS=k1:" + secret(), "HOMEROOM_PUBLIC_URL=https://school.example.org",
		"HOMEROOM_SECOND_FACTOR=optional",
		"HOMEROOM_SHARDS=2", "HOMEROOM_SPARES=0", "HOMEROOM_LOG=warn", "HOMEROOM_TRUSTED_PROXIES=127.0.0.1", "HOMEROOM_SMS_URL=" +
			f.Texts.address(),
		"HOMEROOM_LIMIT_AUTH=1000000-M", "HOMEROOM_LIMIT_READ=1000000-M", "HOMEROOM_LIMIT_WRITE=1000000-M", "HOMEROOM_LIMIT_RIDE=1000000-M",
		"HOMEROOM_LIMIT_LIVE=1000000-M",
	}, o.Env...)
	f.openServers(t, o)
	for range o.Instances {
		f.Instances = append(f.Instances, newInstance(t, f))
	}
	// All at once: whichever comes first migrates, and the others wait for it.
	for _, i := range f.Instances {
		i.launch(t)
	}
	for _, i := range f.Instances {
		i.await(t)
	}
	if o.StandbyReads {
		f.Run(t, "node", "standby", "main", f.standby)
	}
	f.front = openFront(t, f.Instances)
	return f
}

func secret() string {
	var b [48]byte
	_, _ = rand.Read(b[:])
	return base64.StdEncoding.EncodeToString(b[:])
}

// URL is nginx's plain address.
func (f *Fleet) URL() string { return f.front.url }

// App is the whole installation as testkit's clients know one: through nginx.
func (f *Fleet) App() *testkit.App {
	var logs []string
	for _, i := range f.Instances {
		logs = append(logs, i.log())
	}
	return &testkit.App{URL: f.URL(), Log: testkit.LogFiles(logs...)}
}

// Run runs an operator's verb with the fleet's environment and returns what it prints. It
// has to succeed.
func (f *Fleet) Run(t testing.TB, args ...string) string {
	t.Helper()
	return f.RunWith(t, "", args...)
}

// RunWith is Run with something on standard input.
func (f *Fleet) RunWith(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), path, args...)
	var complaint strings.Builder
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.SysProcAttr = f.env, t.TempDir(), strings.NewReader(stdin), &complaint, withUs()
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("homeroom %s: %v\n%s%s", strings.Join(args, " "), err, said, complaint.String())
	}
	return string(said)
}
