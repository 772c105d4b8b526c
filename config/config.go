// Package config is the configuration: one struct, read from the environment once, checked
// before anything starts. Only cmd reads it.
package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Profile is the kind of installation.
type Profile string

const (
	// Local starts its own servers, has demo data, and listens on loopback only.
	Local Profile = "local"
	// Production refuses settings that only suit a laptop.
	Production Profile = "production"
)

// MinSecretLength is how many characters a secret has at the least.
const MinSecretLength = 32

// LocalSecret signs and encrypts in the local profile. It is public: production refuses it.
const LocalSecret = "homeroom-local-secret-that-everybody-knows"

// LocalPassword is the password of every demo web account unless set otherwise.
const LocalPassword = "homeroom-local-only"

// OpsAddr is the default address of health and metrics.
const OpsAddr = "127.0.0.1:9091"

// Config is read from the environment. Each field has its variable, its default
// and its meaning; help and README are made from that.
type Config struct {
	Profile Profile `env:"HOMEROOM_PROFILE" help:"local or production; the verb sets it, so leave it out"`

	Port    int    `env:"PORT" envDefault:"3001" help:"port of the API and the console"`
	Bind    string `env:"HOMEROOM_BIND" help:"address to listen on; local: 127.0.0.1 always, production: all unless set"`
	Public  string `env:"HOMEROOM_PUBLIC_URL" help:"address people open in a browser, with https; links in e-mails begin with it"`
	OpsAddr string `env:"HOMEROOM_OPS_ADDR" envDefault:"127.0.0.1:9091" help:"address of /healthz, /readyz and /metrics in production"`
	// StopDelay is for load balancers that poll /readyz; those that notice a closed port need none.
	StopDelay time.Duration `env:"HOMEROOM_STOP_DELAY" envDefault:"0s" help:"how long an instance that is stopping goes on taking new work, while /readyz says 503; for load balancers that go by it"`

	DataDir string `env:"HOMEROOM_DATA" envDefault:".local" help:"data folder of the local profile"`

	DatabaseURL string `env:"DATABASE_URL" secret:"url" help:"Postgres that holds the platform's schema"`
	NodeURL     string `env:"HOMEROOM_NODE_URL" secret:"url" help:"Postgres of node main, when schools live on another server than the platform"`
	PoolURL     string `env:"HOMEROOM_POOL_URL" secret:"url" help:"PgBouncer (transaction mode) in front of node main"`
	RedisURL    string `env:"REDIS_URL" secret:"url" help:"redis://…, redis+sentinel://…?master_name=… or redis+cluster://…; rediss for TLS"`

	Secret  string   `env:"HOMEROOM_SECRET" secret:"all" help:"at least 32 characters; database passwords, one-time codes, PINs and the secrets of authenticator apps depend on it"`
	JWTKeys []string `env:"HOMEROOM_JWT_KEYS" secret:"all" help:"signing keys as id:base64, comma-separated, the signing one first; at least 32 bytes each"`

	ArchiveKey   string `env:"HOMEROOM_ARCHIVE_KEY" secret:"all" help:"at least 32 characters; seals the files of exported schools. Give installations that exchange them the same; a key that follows from HOMEROOM_SECRET unless set"`
	SecondFactor string `env:"HOMEROOM_SECOND_FACTOR" help:"required or optional: whether super-admins must sign in with a second factor; unset: required in production, optional in local"`

	LimitAuth  string `env:"HOMEROOM_LIMIT_AUTH" envDefault:"10-M" help:"sign-in calls per address"`
	LimitRead  string `env:"HOMEROOM_LIMIT_READ" envDefault:"100-M" help:"reads per user"`
	LimitWrite string `env:"HOMEROOM_LIMIT_WRITE" envDefault:"30-M" help:"writes per user"`
	LimitRide  string `env:"HOMEROOM_LIMIT_RIDE" envDefault:"300-M" help:"boarding taps and positions per user"`
	LimitLive  string `env:"HOMEROOM_LIMIT_LIVE" envDefault:"300-M" help:"connections to the live channel and joins of its rooms per user"`

	TrustedProxies []string `env:"HOMEROOM_TRUSTED_PROXIES" help:"addresses or networks, comma-separated, whose X-Forwarded-For is believed"`
	AllowedOrigins []string `env:"HOMEROOM_ALLOWED_ORIGINS" help:"browser origins, comma-separated, that may call the API from elsewhere"`

	Shards        int  `env:"HOMEROOM_SHARDS" envDefault:"16" help:"connection pools per database node"`
	ShardConns    int  `env:"HOMEROOM_SHARD_CONNS" envDefault:"2" help:"connections per pool"`
	RolePerSchool bool `env:"HOMEROOM_ROLE_PER_SCHOOL" envDefault:"true" help:"run every statement under its school's own database role"`
	// StandbyLag is a choice between load and age; addresses of standbys are kept with the nodes.
	StandbyLag time.Duration `env:"HOMEROOM_STANDBY_LAG" envDefault:"10s" help:"how far behind a node's standby may be and still answer lists and reports"`
	Spares     int           `env:"HOMEROOM_SPARES" envDefault:"3" help:"empty schemas kept ready on every node; local: one at most"`
	HashCores  int           `env:"HOMEROOM_HASH_CORES" help:"cores that password hashing may use; 0 is half of them"`

	SMSURL            string   `env:"HOMEROOM_SMS_URL" secret:"url" help:"provider of SMS: twilio://account:token@api.twilio.com?from=+15550100 or a webhook https://:secret@host/path; without it no SMS is sent"`
	SMTPURL           string   `env:"HOMEROOM_SMTP_URL" secret:"url" help:"mail server: smtp://user:password@host:587 (STARTTLS) or smtps://…; without it no e-mail is sent"`
	EmailFrom         string   `env:"HOMEROOM_EMAIL_FROM" help:"sender of e-mail"`
	WhatsAppURL       string   `env:"HOMEROOM_WHATSAPP_URL" secret:"url" help:"WhatsApp by Meta's Cloud API: https://:token@graph.facebook.com/v23.0/phone-number-id; without it nothing is sent by WhatsApp"`
	WhatsAppTemplates []string `env:"HOMEROOM_WHATSAPP_TEMPLATES" envDefault:"notice" help:"approved templates, comma-separated: one for every type of notice, and others by type as ATTENDANCE=absence; the body of each has three parameters: school, title and text. FEE+PDF=receipt and RESULT+PDF=report have a document as their header: the receipt or report card"`
	WhatsAppLanguages []string `env:"HOMEROOM_WHATSAPP_LANGUAGES" envDefault:"en" help:"languages of these templates, comma-separated; the first is for all others"`
	WhatsAppSecret    string   `env:"HOMEROOM_WHATSAPP_SECRET" secret:"all" help:"app secret of Meta's, which signs the reports that come to /delivery-report/whatsapp; without it none are taken"`
	WhatsAppVerify    string   `env:"HOMEROOM_WHATSAPP_VERIFY" secret:"all" help:"verify token that Meta asks for when that address is entered there"`
	// EmailReportSecret has no default: without it nobody may say what became of e-mails.
	EmailReportSecret string `env:"HOMEROOM_EMAIL_REPORT_SECRET" secret:"all" help:"signs reports of bounced e-mails that come to /delivery-report/email; without it none are taken"`
	FCMCredentials    string `env:"HOMEROOM_FCM_CREDENTIALS" help:"file with a Firebase service account's key; without it no push message is sent to phones' native apps"`
	WebPush           bool   `env:"HOMEROOM_WEB_PUSH" envDefault:"true" help:"notices on browsers by web push, which needs no account anywhere; false on a copy that was restored for a try"`
	// WebhookLoopback is for developers and tests, whose receivers are on the machine itself.
	WebhookLoopback bool `env:"HOMEROOM_WEBHOOK_LOOPBACK" help:"local only: schools' webhooks and identity providers may name addresses of this machine, by http too; local: always"`
	SMSDailyLimit   int  `env:"HOMEROOM_SMS_DAILY_LIMIT" envDefault:"100000" help:"segments of SMS all schools together may send in a day; 0 is any number"`
	KeepMessages    int  `env:"HOMEROOM_KEEP_MESSAGES" envDefault:"90" help:"days that messages which were sent or given up are kept, the dead letters and the platform's own among them"`

	KeepNotifications int `env:"HOMEROOM_KEEP_NOTIFICATIONS" envDefault:"400" help:"days that notices and the notifications people have read are kept"`

	Country string `env:"HOMEROOM_COUNTRY" help:"country of two letters whose phone numbers people may sign in with without its code; local: IN; production: every number needs its code unless set"`

	Files string `env:"HOMEROOM_FILES" help:"where uploads are kept: file:///folder or s3://bucket?region=…; local: a folder of HOMEROOM_DATA; production: nowhere unless set"`

	MapTiles       string `env:"HOMEROOM_MAP_TILES" help:"pictures of streets behind the console's maps: https://host/{z}/{x}/{y}.png; without it maps have a plain grid and ask nobody"`
	MapAttribution string `env:"HOMEROOM_MAP_ATTRIBUTION" help:"whom the map's pictures are owed to, shown in its corner as their licence asks"`

	TracesURL  string  `env:"OTEL_EXPORTER_OTLP_ENDPOINT" secret:"url" help:"collector of traces, by OTLP over HTTP: http://collector:4318; without it nothing is traced"`
	TraceRatio float64 `env:"HOMEROOM_TRACE_RATIO" envDefault:"0.01" help:"share of requests that are traced, 0 to 1, where no trusted proxy has decided"`

	LocalPassword string `env:"HOMEROOM_LOCAL_PASSWORD" secret:"all" help:"local only: password of every demo web account"`
	LogLevel      string `env:"HOMEROOM_LOG" envDefault:"info" help:"debug, info, warn or error"`
}

// Load reads the environment for a profile and checks it.
func Load(profile Profile, environ map[string]string) (Config, error) {
	var c Config
	if err := env.ParseWithOptions(&c, env.Options{Environment: environ}); err != nil {
		return c, fmt.Errorf("configuration: %w", err)
	}
	if c.Profile != "" && c.Profile != profile {
		return c, problem("HOMEROOM_PROFILE", fmt.Sprintf("is %q", c.Profile), "leave it out: the verb sets it")
	}
	if c.Profile = profile; profile == Local {
		c.localDefaults()
	}
	if c.SecondFactor == "" {
		c.SecondFactor = "required"
	}
	return c, c.check(environ)
}

func (c *Config) localDefaults() {
	c.WebhookLoopback = true
	if c.Country == "" {
		c.Country = "IN"
	}
	if c.Bind == "" {
		c.Bind = "127.0.0.1"
	}
	if c.Public == "" {
		c.Public = fmt.Sprintf("http://%s:%d", c.Bind, c.Port)
	}
	if c.Secret == "" {
		c.Secret = LocalSecret
	}
	if len(c.JWTKeys) == 0 {
		c.JWTKeys = []string{"local:" + base64.StdEncoding.EncodeToString([]byte(LocalSecret))}
	}
	if c.SecondFactor == "" {
		c.SecondFactor = "optional"
	}
	if c.LocalPassword == "" {
		c.LocalPassword = LocalPassword
	}
}

// problem names the variable and the cure.
func problem(variable, what, cure string) error {
	return fmt.Errorf("%s %s: %s", variable, what, cure)
}

var rateForm = regexp.MustCompile(`^[1-9][0-9]*-[SMHDsmhd]$`)

// check reports everything that is wrong at once.
func (c *Config) check(environ map[string]string) error {
	errs := []error{c.checkNumbers(), c.checkURLs(), c.checkKeys()}
	if c.Profile == Production {
		errs = append(errs, c.checkProduction(environ))
	} else if c.Bind != "127.0.0.1" && c.Bind != "localhost" && c.Bind != "::1" {
		errs = append(errs, problem("HOMEROOM_BIND", "is not loopback",
			"the local profile has public passwords and stays on 127.0.0.1; use `homeroom serve` for a network"))
	}
	return errors.Join(errs...)
}

func (c *Config) checkNumbers() error {
	var errs []error
	within := func(name string, v, least, most int) {
		if v < least || v > most {
			errs = append(errs, problem(name, fmt.Sprintf("is %d", v), fmt.Sprintf("use %d to %d", least, most)))
		}
	}
	within("PORT", c.Port, 0, 65535)
	within("HOMEROOM_SHARDS", c.Shards, 1, 64)
	within("HOMEROOM_SHARD_CONNS", c.ShardConns, 1, 64)
	within("HOMEROOM_SPARES", c.Spares, 0, 1000)
	within("HOMEROOM_SMS_DAILY_LIMIT", c.SMSDailyLimit, 0, 1<<30)
	within("HOMEROOM_KEEP_MESSAGES", c.KeepMessages, 7, 10_000)
	within("HOMEROOM_KEEP_NOTIFICATIONS", c.KeepNotifications, 30, 10_000)
	within("HOMEROOM_HASH_CORES", c.HashCores, 0, 256)
	if c.StopDelay < 0 || c.StopDelay > 5*time.Minute {
		errs = append(errs, problem("HOMEROOM_STOP_DELAY", fmt.Sprintf("is %v", c.StopDelay), "use 0s to 5m"))
	}
	if c.StandbyLag < time.Second || c.StandbyLag > 10*time.Minute {
		errs = append(errs, problem("HOMEROOM_STANDBY_LAG", fmt.Sprintf("is %v", c.StandbyLag), "use 1s to 10m"))
	}
	if !(c.TraceRatio >= 0 && c.TraceRatio <= 1) {
		errs = append(errs, problem("HOMEROOM_TRACE_RATIO", fmt.Sprintf("is %v", c.TraceRatio), "use 0 to 1; 0.01 is every hundredth request"))
	}
	for name, rate := range map[string]string{
		"HOMEROOM_LIMIT_AUTH": c.LimitAuth, "HOMEROOM_LIMIT_READ": c.LimitRead, "HOMEROOM_LIMIT_WRITE": c.LimitWrite,
		"HOMEROOM_LIMIT_RIDE": c.LimitRide, "HOMEROOM_LIMIT_LIVE": c.LimitLive,
	} {
		if !rateForm.MatchString(rate) {
			errs = append(errs, problem(name, fmt.Sprintf("is %q", rate),
				"write a rate as 10-M: ten a minute; S, M, H and D are second, minute, hour and day"))
		}
	}
	if c.SecondFactor != "required" && c.SecondFactor != "optional" {
		errs = append(errs, problem("HOMEROOM_SECOND_FACTOR", fmt.Sprintf("is %q", c.SecondFactor), "use required or optional"))
	}
	switch c.LogLevel {
	case "debug", "info", "warn", "error":
	default:
		errs = append(errs, problem("HOMEROOM_LOG", fmt.Sprintf("is %q", c.LogLevel), "use debug, info, warn or error"))
	}
	return errors.Join(errs...)
}

func (c *Config) checkURLs() error {
	var errs []error
	for name, v := range map[string]string{"DATABASE_URL": c.DatabaseURL, "HOMEROOM_NODE_URL": c.NodeURL, "HOMEROOM_POOL_URL": c.PoolURL} {
		if u, err := url.Parse(v); v != "" && (err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql")) {
			errs = append(errs, problem(name, "is not a Postgres address", "write it as postgres://user:password@host:5432/database"))
		}
	}
	if c.RedisURL != "" {
		if _, err := RedisOptions(c.RedisURL); err != nil {
			errs = append(errs, problem("REDIS_URL", "is not a Redis address", "write it as redis://:password@host:6379/0"))
		}
	}
	for name, schemes := range map[string]struct {
		value, cure string
		known       []string
	}{
		"HOMEROOM_SMS_URL": {c.SMSURL,
			"write it as twilio://account:token@api.twilio.com?from=+15550100 or https://:secret@host/path", []string{"twilio", "http", "https"}},
		"HOMEROOM_WHATSAPP_URL": {c.WhatsAppURL, "write it as https://:token@graph.facebook.com/v23.0/1234567890", []string{"http", "https"}},
		"HOMEROOM_SMTP_URL": {c.SMTPURL, "write it as smtp://user:password@host:587 or smtps://user:password@host",
			[]string{"smtp", "smtps"}},
		"OTEL_EXPORTER_OTLP_ENDPOINT": {c.TracesURL, "write it as http://collector:4318", []string{"http", "https"}},
		"HOMEROOM_FILES":              {c.Files, "write it as file:///folder or s3://bucket?region=…", []string{"file", "s3"}},
	} {
		if u, err := url.Parse(schemes.value); schemes.value != "" && (err != nil || !slices.Contains(schemes.known, u.Scheme)) {
			errs = append(errs, problem(name, "is not an address it can use", schemes.cure))
		}
	}
	if c.Country != "" && (len(c.Country) != 2 || strings.ToUpper(c.Country) != c.Country) {
		errs = append(errs, problem("HOMEROOM_COUNTRY", fmt.Sprintf("is %q", c.Country), "write the country's two letters, such as IN"))
	}
	if c.SMTPURL != "" && !strings.Contains(c.EmailFrom, "@") {
		errs = append(errs, problem("HOMEROOM_EMAIL_FROM", "is missing or no e-mail address",
			"name the sender, such as office@school.example.org"))
	}
	if err := c.checkTiles(); err != nil {
		errs = append(errs, err)
	}
	for _, o := range c.AllowedOrigins {
		if u, err := url.Parse(o); err != nil || u.Host == "" || u.Path != "" {
			errs = append(errs, problem("HOMEROOM_ALLOWED_ORIGINS", fmt.Sprintf("has %q", o),
				"an origin is written as https://host, without a path"))
		}
	}
	return errors.Join(errs...)
}

// checkTiles requires one host, since the console's content policy allows pictures from that
// host alone, and the three numbers of a tile.
func (c *Config) checkTiles() error {
	if c.MapTiles == "" {
		return nil
	}
	u, err := url.Parse(c.MapTiles)
	cure := "write it as https://host/{z}/{x}/{y}.png"
	switch {
	case err != nil || (u.Scheme != "https" && u.Scheme != "http") || strings.ContainsAny(u.Host, "{};, '\"") || u.Host == "":
		return problem("HOMEROOM_MAP_TILES", "is not an address with one host", cure)
	case !strings.Contains(c.MapTiles, "{z}") || !strings.Contains(c.MapTiles, "{x}") || !strings.Contains(c.MapTiles, "{y}"):
		return problem("HOMEROOM_MAP_TILES", "lacks {z}, {x} or {y}", cure)
	case c.MapAttribution == "":
		return problem("HOMEROOM_MAP_ATTRIBUTION", "is missing", "name whom the pictures are owed to, such as © OpenStreetMap contributors")
	}
	return nil
}

func (c *Config) checkKeys() error {
	if len(c.JWTKeys) == 0 {
		return problem("HOMEROOM_JWT_KEYS", "is empty", "make one with: echo \"k1:$(openssl rand -base64 48)\"")
	}
	_, err := c.SigningKeys()
	return err
}

func (c *Config) checkProduction(environ map[string]string) error {
	var errs []error
	if c.DatabaseURL == "" {
		errs = append(errs, problem("DATABASE_URL", "is missing", "name the Postgres server; `make run` brings its own"))
	}
	if c.RedisURL == "" {
		errs = append(errs, problem("REDIS_URL", "is missing", "name the Redis server; `make run` brings its own"))
	}
	if u, err := url.Parse(c.Public); err != nil || u.Host == "" {
		errs = append(errs, problem("HOMEROOM_PUBLIC_URL", "is missing or no address", "write it as https://school.example.org"))
	} else if u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		errs = append(errs, problem("HOMEROOM_PUBLIC_URL", "begins with "+u.Scheme+"://: passwords would travel unencrypted",
			"put a proxy with TLS in front and write https://; http:// is for localhost alone"))
	}
	switch {
	case c.Secret == "":
		errs = append(errs, problem("HOMEROOM_SECRET", "is missing", "make one with: openssl rand -base64 48"))
	case c.Secret == LocalSecret:
		errs = append(errs, problem("HOMEROOM_SECRET", "is the local profile's, which everybody knows",
			"make one with: openssl rand -base64 48"))
	case len(c.Secret) < MinSecretLength:
		errs = append(errs, problem("HOMEROOM_SECRET", fmt.Sprintf("has %d characters", len(c.Secret)),
			"use at least 32: openssl rand -base64 48"))
	}
	if n := len(c.ArchiveKey); n > 0 && n < 32 {
		errs = append(errs, problem("HOMEROOM_ARCHIVE_KEY", fmt.Sprintf("has %d characters", n), "use at least 32: openssl rand -base64 48"))
	}
	for _, k := range c.JWTKeys {
		if strings.Contains(k, base64.StdEncoding.EncodeToString([]byte(LocalSecret))) {
			errs = append(errs, problem("HOMEROOM_JWT_KEYS", "holds the local profile's key, which everybody knows",
				"make one with: echo \"k1:$(openssl rand -base64 48)\""))
		}
	}
	for _, name := range []string{"HOMEROOM_LOCAL_PASSWORD", "HOMEROOM_DATA", "HOMEROOM_WEBHOOK_LOOPBACK"} {
		if environ[name] != "" {
			errs = append(errs, problem(name, "is for the local profile only", "take it out of this environment"))
		}
	}
	return errors.Join(errs...)
}

// loopback reports whether a host is this machine alone.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
