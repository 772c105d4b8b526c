// Package service puts the house together: every part is made here, from the
// configuration, and wired to the others. Nothing else reads the configuration.
package service

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/riverqueue/river"

	"homeroom/api"
	"homeroom/api/lastwrite"
	"homeroom/api/limit"
	"homeroom/api/openapi"
	"homeroom/auth"
	"homeroom/auth/hashing"
	"homeroom/auth/tokens"
	"homeroom/cmd/service/metrics"
	"homeroom/cmd/service/traces"
	"homeroom/config"
	"homeroom/delivery"
	"homeroom/events"
	"homeroom/migrations"
	"homeroom/modules/exam"
	"homeroom/modules/file"
	"homeroom/modules/platform"
	"homeroom/modules/transport/live"
	"homeroom/modules/year"
	"homeroom/rbac"
	"homeroom/realtime"
	"homeroom/tenancy"
	"homeroom/tenancy/lifecycle"
	"homeroom/tenancy/move"
)

// Options are what a caller may set besides the configuration: tests and benchmarks
// bring their own clock, rows and migrations.
type Options struct {
	Log        *slog.Logger
	Clock      func() time.Time
	ExtraRows  []api.Row
	Modules    []api.Module // besides the product's own
	Migrations []migrations.Migration
	// Namespace sets the relay's keys in Redis apart; installations that share one need it.
	Namespace string
	// Patience is how long a call waits for Redis to count it or to tell the others, for a
	// connection to Postgres, and a sign-in for its turn; a whole call has four times as long.
	// 0 is as in production. Most tests are about other things than a machine that is busy with tests.
	Patience time.Duration
	// HashCommand starts a program that calls hashing.Serve, so that hashing secrets
	// is no burden on the server's own process; empty: it is done here.
	HashCommand []string
	// Push makes the driver of push messages. It is the program's to give: Google's client
	// is a third of all that would be linked with every test.
	Push Push
	// S3 opens a bucket by its s3:// address; nil: this program has no client of S3.
	S3 func(address *url.URL) (file.Store, error)
	// Traces opens the client of a collector of traces; nil: this program has none.
	Traces traces.OpenExporter
	// WebPush calls browsers' push services; nil: a client that reaches the internet only.
	WebPush *http.Client
	// SSO calls schools' identity providers; nil: a client that reaches the internet only.
	SSO *http.Client
	// Drivers stand in for the providers of push, SMS and e-mail.
	Drivers map[delivery.Channel]delivery.Driver
	// NoQuietHours has new schools begin without quiet hours, so that what they send does not depend on the time of
	// day: for tests. In production they begin with 21:00 to 07:00.
	NoQuietHours bool
	// NoFirstYear has new schools begin without an academic year: for tests, which make years of their own around the days
	// they are about.
	NoFirstYear bool
	// HookRetry is how soon a fact that a webhook did not take is sent again at first, HookTimeout how long a receiver may take; 0
	// is as in production.
	HookRetry, HookTimeout time.Duration
	// PositionsPerSecond is how many positions of a bus are taken; 0 is as in production.
	PositionsPerSecond int
	// SparesWait reports that spare schemas are not to be made yet; nil: they are made from the start on.
	SparesWait func() bool
	// Start is the page at /; nil: there is none, and / leads to the console.
	Start http.Handler
	// Dial opens the connections requests use, to the schools' Postgres and to Redis, DialPlatform those to the
	// platform's; nil: as usual.
	Dial, DialPlatform func(ctx context.Context, network, address string) (net.Conn, error)
}

// Push makes a driver of push messages from a service account's key (fcm.Open).
type Push func(ctx context.Context, key []byte, devices delivery.Devices) (delivery.Driver, error)

// Service is one running instance.
type Service struct {
	Config      config.Config
	Cluster     *tenancy.Cluster
	Registry    *tenancy.Registry
	Provisioner *lifecycle.Provisioner
	Migrator    *lifecycle.Migrator
	Mover       *move.Mover
	Jobs        *lifecycle.Jobs
	Auth        *auth.Auth
	Tokens      *tokens.Signer
	RBAC        *rbac.RBAC
	Hints       *events.Hints
	Bus         *events.Bus
	Relay       *events.Relay
	Sender      *delivery.Sender
	Hooks       *delivery.Hooks
	Devices     delivery.Devices
	Browsers    *delivery.Browsers // nil: no web push
	Kernel      *api.Kernel
	Hub         *realtime.Hub
	Tracker     *live.Tracker
	Redis       redis.UniversalClient
	Metrics     *prometheus.Registry
	Traffic     *platform.Traffic
	Log         *slog.Logger

	meters    *metrics.Meters
	tracing   *traces.Tracing // nil: nobody traces
	store     file.Store      // of files; nil is none
	exports   *exports
	limits    *limit.Limits
	schools   *schools
	access    *liveAccess
	scheduler *scheduler
	now       func() time.Time
	stopping  chan struct{}
}

// New makes every part. It dials nothing: what is away is found by Prepare and by readiness.
func New(ctx context.Context, c config.Config, o Options) (*Service, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	s := &Service{Config: c, Log: o.Log, Metrics: newMetrics(), Bus: &events.Bus{}, now: o.Clock, stopping: make(chan struct{})}
	s.meters = metrics.New(s.Metrics)
	var err error
	if s.tracing, err = traces.Open(ctx, c.TracesURL, c.TraceRatio, o.Traces, o.Log); err != nil {
		return nil, err
	}
	if err := s.openStores(ctx, o); err != nil {
		return nil, err
	}
	s.store = fileStore(c, o.S3)
	if err := s.openDelivery(ctx, o); err != nil {
		return nil, err
	}
	if err := s.openAuth(o); err != nil {
		return nil, err
	}
	s.Relay = events.NewRelay(events.Options{Redis: s.Redis, Schools: s.schools, Bus: s.Bus, Log: o.Log, Clock: o.Clock,
		Namespace: o.Namespace, Published: s.meters.Published})
	s.Sender.Outbox, s.Hooks.Outbox = s.Relay, s.Relay
	s.openLive(o)
	if err := s.openKernel(o); err != nil {
		return nil, err
	}
	s.listen()
	s.showMetrics()
	return s, nil
}

func (s *Service) openStores(ctx context.Context, o Options) error {
	options, err := config.RedisOptions(s.Config.RedisURL)
	if err != nil {
		return fmt.Errorf("REDIS_URL: %w", err)
	}
	// A request waits for Redis as long as its own context says, and no longer.
	options.ContextTimeoutEnabled = true
	patience := max(time.Second, o.Patience)
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = patience/2, patience, patience
	options.MaxRetries = -1
	options.Protocol = 2 // nothing here needs RESP3, which looks for pushed messages before every command
	options.Dialer = o.Dial
	logging.Disable() // it writes past our log; who asks Redis says when it fails
	s.Redis = redis.NewUniversalClient(options)
	s.Redis.AddHook(s.meters.Redis())
	if s.tracing != nil {
		s.Redis.AddHook(s.tracing.Redis())
	}
	s.Hints = events.NewHints(s.Redis, s.Log, o.Patience)

	c := s.Config
	s.Cluster, err = tenancy.Open(ctx, tenancy.Options{
		PlatformURL: c.DatabaseURL, MainURL: c.NodeURL, MainPoolURL: c.PoolURL, Secret: []byte(c.Secret),
		Shards: c.Shards, ShardConns: c.ShardConns, RolePerSchool: c.RolePerSchool, Spares: c.Spares, SparesWait: o.SparesWait,
		Migrations: o.Migrations, Clock: o.Clock,
		StandbyLag: c.StandbyLag, ConnectTimeout: o.Patience,
		Dial: o.Dial, DialPlatform: o.DialPlatform,
		Tracer: s.tracing.Postgres(),
	})
	if err != nil {
		return err
	}
	s.Registry = tenancy.NewRegistry(s.Cluster)
	s.Migrator, s.Mover = lifecycle.NewMigrator(s.Cluster), move.NewMover(s.Cluster)
	s.Mover.Log = s.Log
	s.schools = &schools{s.Cluster, s.Registry, s.Migrator}
	s.Cluster.Changed = func(id uuid.UUID) { s.Hints.Send(context.Background(), hintSchool, id.String()) }
	return nil
}

func (s *Service) openAuth(o Options) error {
	clock := o.Clock
	signing, err := s.Config.SigningKeys()
	if err != nil {
		return err
	}
	var keys []tokens.Key
	for _, k := range signing {
		keys = append(keys, tokens.Key(k))
	}
	if s.Tokens, err = tokens.New(keys, clock); err != nil {
		return err
	}
	hasher := hashing.New(s.Config.HashCores, o.HashCommand...)
	if o.Patience > 0 {
		hasher.Wait = o.Patience
	}
	s.RBAC = rbac.New(s.Cluster, func(school uuid.UUID) { s.Hints.Send(context.Background(), hintPolicy, school.String()) }, clock)
	s.Auth = auth.New(auth.Parts{
		RedisWait: o.Patience,
		Cluster:   s.Cluster, Schools: s.schools, Redis: s.Redis, Tokens: s.Tokens, Hasher: hasher,
		Messages: messenger(s.Config.Profile, s.Redis, s.Sender, clock), Rights: s.RBAC, Clock: clock, Secret: []byte(s.Config.Secret),
		PublicURL:            s.Config.Public,
		Country:              s.Config.Country,
		SecondFactorRequired: s.Config.SecondFactor == "required",
		SessionEnded:         func(session uuid.UUID) { s.Hints.Send(context.Background(), hintSession, session.String()) },
		SessionsChanged:      func(user uuid.UUID) { s.Hints.Send(context.Background(), hintUser, user.String()) },
		CountSignIn:          s.meters.Tried,
		SSO:                  s.ssoClient(o), Log: s.Log,
	})
	steps := []lifecycle.Step{{Name: "permissions", Run: func(ctx context.Context, school *tenancy.School, _ json.RawMessage) error {
		return rbac.Seed(ctx, s.Cluster, school, s.Kernel.Catalogue)
	}},
		{Name: "administrator", Run: s.Auth.AddFirstAdmin}, {Name: "invitation", Run: s.Auth.InviteFirstAdmin}}
	if !o.NoFirstYear {
		steps = append(steps,
			lifecycle.Step{Name: "academic year", Run: func(ctx context.Context, school *tenancy.School, _ json.RawMessage) error {
				db, err := s.Cluster.School(ctx, school, tenancy.ReadWrite)
				if err != nil {
					return err
				}
				first, err := year.AddFirst(db, school, api.DateOf(clock().In(school.Location())))
				if err != nil || first == nil {
					return err
				}
				return exam.AddFirstTerms(db, school, *first)
			}})
	}
	if o.NoQuietHours {
		steps = append(steps,
			lifecycle.Step{Name: "no quiet hours", Run: func(ctx context.Context, school *tenancy.School, _ json.RawMessage) error {
				db, err := s.Cluster.School(ctx, school, tenancy.ReadWrite)
				if err != nil {
					return err
				}
				return db.Exec(`update school_setting set quiet_from = null, quiet_to = null`).Error
			}})
	}
	s.Provisioner = lifecycle.NewProvisioner(s.Cluster, steps...)
	s.scheduler = &scheduler{schools: s.schools, work: map[string]api.Scheduled{}, now: s.now, log: s.Log}
	s.exports = &exports{cluster: s.Cluster, migrator: s.Migrator, store: s.store, seal: s.Seal(), now: s.now, log: s.Log}
	workers := river.NewWorkers()
	river.AddWorker(workers, &exportsWorker{exports: s.exports})
	river.AddWorker(workers, &scheduledWorker{s: s.scheduler})
	s.Jobs, err = lifecycle.NewJobs(s.Cluster, lifecycle.JobsOptions{
		Provisioner: s.Provisioner, Migrator: s.Migrator, Logger: slog.New(warnings{s.Log.Handler()}), Workers: workers, Worked: s.meters.Worked,
	})
	if err != nil {
		return err
	}
	s.exports.jobs = s.Jobs
	if err := s.Mover.AddTo(s.Jobs); err != nil {
		return err
	}
	return s.Jobs.Schedule(lifecycle.Every(exportsEvery, exportsJob{}, nil))
}

func (s *Service) openKernel(o Options) error {
	requests := api.NewMetrics(s.Metrics)
	s.Traffic = platform.NewTraffic(s.Cluster, s.Log, s.now)
	c := s.Config
	var err error
	s.limits, err = limit.New(s.Redis, limit.Rates{
		api.LimitAuth: c.LimitAuth, api.LimitRead: c.LimitRead, api.LimitWrite: c.LimitWrite, api.LimitRide: c.LimitRide,
		api.LimitLive: c.LimitLive,
	}, o.Patience, o.Clock, s.Log)
	if err != nil {
		return err
	}
	modules := s.modules(o.Modules...)
	s.Kernel, err = api.New(api.Parts{
		Modules:       modules,
		ExtraRows:     o.ExtraRows,
		Webhooks:      webhooks(),
		Authenticator: s.Auth, Permissions: s.RBAC, Schools: s.schools, Databases: s.Cluster, Outbox: s.Relay,
		Standbys: lastwrite.New(s.Cluster, s.Redis, s.Log),
		Limits:   s.limits, Log: s.Log, Clock: o.Clock, Metrics: requests, Tracer: s.tracing.Tracer(),
		Traffic: s.Traffic, Stopping: s.stopping, HandlerTimeout: 4 * o.Patience,
		HTTPS: strings.HasPrefix(c.Public, "https:"), TrustedProxies: c.TrustedProxies, AllowedOrigins: c.AllowedOrigins,
	})
	if err != nil {
		return err
	}
	if err := openapi.Mount(s.Kernel); err != nil {
		return err
	}
	if err := openapi.MountLive(s.Kernel, liveChannel()); err != nil {
		return err
	}
	if err := openapi.MountPush(s.Kernel, pushMessages()); err != nil {
		return err
	}
	for _, m := range modules {
		if m.Listen != nil {
			m.Listen(s.Bus)
		}
	}
	s.RBAC.Catalogue = s.Kernel.Catalogue
	s.scheduler.kernel = s.Kernel
	s.access.kernel = s.Kernel
	if err := s.Jobs.Schedule(s.scheduler.periodic(modules)...); err != nil {
		return err
	}
	s.mountScreens(o.Start)
	s.mountReports()
	s.mountRealtime()
	return nil
}

// Hints between instances.
const (
	hintSchool  = "school"  // a school's row changed
	hintSession = "session" // a session ended
	hintUser    = "user"    // a user changed or is gone
	hintPolicy  = "policy"  // who may do what at a school changed
)

// listen forgets what other instances say has changed, and everything when their
// words may have been missed.
func (s *Service) listen() {
	forget := func(topic string, f func(uuid.UUID)) {
		s.Hints.On(topic, func(value string) {
			if id, err := uuid.Parse(value); err == nil {
				f(id)
			}
		})
	}
	forget(hintSchool, s.Registry.Forget)
	forget(hintSession, s.Auth.Forget)
	forget(hintUser, s.Auth.ForgetUser)
	forget(hintPolicy, s.RBAC.Forget)
	forget(hintPolicy, s.Auth.ForgetKeys)
	forget(hintTrip, s.Tracker.Forget)
	// Who is connected is asked about once the old answer is forgotten.
	forget(hintSchool, s.Hub.SchoolChanged)
	forget(hintSession, s.Hub.SessionEnded)
	forget(hintUser, s.Hub.UserChanged)
	forget(hintPolicy, s.Hub.RightsChanged)
	forget(hintSight, s.Hub.SightChanged)
	forget(hintSights, s.Hub.RightsChanged)
	s.Hints.OnGap(func() {
		s.Registry.ForgetAll()
		s.Auth.ForgetAll()
		s.RBAC.ForgetAll()
		s.Tracker.ForgetAll()
		s.Hub.RecheckAll()
	})
}
