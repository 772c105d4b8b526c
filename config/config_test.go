package config_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"homeroom/config"
)

var goodKey = "k1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 48)))

func production(changes ...string) map[string]string {
	environ := map[string]string{
		"DATABASE_URL": "postgres://u:p@db/homeroom", "REDIS_URL": "redis://cache:6379/0",
		"HOMEROOM_SECRET": strings.Repeat("s", 40), "HOMEROOM_JWT_KEYS": goodKey, "HOMEROOM_PUBLIC_URL": "https://school.example.org",
	}
	for _, c := range changes {
		name, value, _ := strings.Cut(c, "=")
		environ[name] = value
	}
	return environ
}

func TestProductionStartsOnACompleteConfiguration(t *testing.T) {
	t.Parallel()
	for _, public := range []string{"https://school.example.org", "http://localhost:3001", "http://127.0.0.1", "http://[::1]:3001"} {
		if _, err := config.Load(config.Production, production("HOMEROOM_PUBLIC_URL="+public)); err != nil {
			t.Errorf("%s: %v", public, err)
		}
	}
}

func TestProductionRefusesWhatIsOnlyGoodForALaptop(t *testing.T) {
	t.Parallel()
	local := base64.StdEncoding.EncodeToString([]byte(config.LocalSecret))
	for _, c := range []struct{ change, names, cure string }{
		{"DATABASE_URL=", "DATABASE_URL is missing", "name the Postgres server"},
		{"HOMEROOM_PUBLIC_URL=", "HOMEROOM_PUBLIC_URL is missing", "https://"},
		{"HOMEROOM_PUBLIC_URL=http://school.example.org", "HOMEROOM_PUBLIC_URL begins with http://", "https://"},
		{"HOMEROOM_PUBLIC_URL=http://127.0.0.1.example.org", "HOMEROOM_PUBLIC_URL begins with http://", "https://"},
		{"HOMEROOM_PUBLIC_URL=ftp://localhost", "HOMEROOM_PUBLIC_URL begins with ftp://", "https://"},
		{"REDIS_URL=", "REDIS_URL is missing", "name the Redis server"},
		{"HOMEROOM_SECRET=", "HOMEROOM_SECRET is missing", "openssl rand"},
		{"HOMEROOM_SECRET=short", "HOMEROOM_SECRET has 5 characters", "at least 32"},
		{"HOMEROOM_SECRET=" + config.LocalSecret, "everybody knows", "openssl rand"},
		{"HOMEROOM_JWT_KEYS=", "HOMEROOM_JWT_KEYS is empty", "openssl rand"},
		{"HOMEROOM_JWT_KEYS=k1:c2hvcnQ=", "has 5 bytes", "at least 32"},
		{"HOMEROOM_JWT_KEYS=nothing", "has no id", "id:base64"},
		{"HOMEROOM_JWT_KEYS=a:!!", "not base64", "openssl rand"},
		{"HOMEROOM_JWT_KEYS=" + goodKey + "," + goodKey, "twice", "id of its own"},
		{"HOMEROOM_JWT_KEYS=k:" + local, "everybody knows", "openssl rand"},
		{"HOMEROOM_LOCAL_PASSWORD=x", "HOMEROOM_LOCAL_PASSWORD is for the local profile only", "take it out"},
		{"HOMEROOM_DATA=/tmp/x", "HOMEROOM_DATA is for the local profile only", "take it out"},
		{"HOMEROOM_WEBHOOK_LOOPBACK=true", "HOMEROOM_WEBHOOK_LOOPBACK is for the local profile only", "take it out"},
		{"DATABASE_URL=mysql://x", "DATABASE_URL is not a Postgres address", "postgres://"},
		{"REDIS_URL=http://x", "REDIS_URL is not a Redis address", "redis://"},
		{"PORT=70000", "PORT is 70000", "0 to 65535"},
		{"HOMEROOM_STOP_DELAY=1h", "HOMEROOM_STOP_DELAY is 1h", "0s to 5m"},
		{"HOMEROOM_SHARDS=0", "HOMEROOM_SHARDS is 0", "1 to 64"},
		{"HOMEROOM_SECOND_FACTOR=maybe", "HOMEROOM_SECOND_FACTOR is", "required or optional"},
		{"HOMEROOM_LOG=loud", "HOMEROOM_LOG", "debug, info"},
		{"HOMEROOM_PROFILE=staging", "HOMEROOM_PROFILE", "leave it out"},
		{"HOMEROOM_PROFILE=local", "HOMEROOM_PROFILE", "leave it out"},
		{"HOMEROOM_LIMIT_AUTH=ten", "HOMEROOM_LIMIT_AUTH", "10-M"},
		{"HOMEROOM_LIMIT_RIDE=0-M", "HOMEROOM_LIMIT_RIDE", "10-M"},
		{"HOMEROOM_LIMIT_LIVE=many", "HOMEROOM_LIMIT_LIVE", "10-M"},
		{"HOMEROOM_ALLOWED_ORIGINS=example.org", "HOMEROOM_ALLOWED_ORIGINS", "https://host"},
		{"HOMEROOM_MAP_TILES=https://{s}.example.org/{z}/{x}/{y}.png", "HOMEROOM_MAP_TILES", "https://host/"},
		{"HOMEROOM_MAP_TILES=https://tiles.example.org/{z}/{x}.png", "HOMEROOM_MAP_TILES lacks", "https://host/"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318"},
		{"HOMEROOM_TRACE_RATIO=2", "HOMEROOM_TRACE_RATIO is 2", "0 to 1"},
		{"HOMEROOM_TRACE_RATIO=NaN", "HOMEROOM_TRACE_RATIO", "0 to 1"},
		{"HOMEROOM_MAP_TILES=https://tiles.example.org/{z}/{x}/{y}.png", "HOMEROOM_MAP_ATTRIBUTION is missing", "contributors"},
	} {
		t.Run(c.change, func(t *testing.T) {
			t.Parallel()
			_, err := config.Load(config.Production, production(c.change))
			if err == nil {
				t.Fatal("was accepted")
			}
			if !strings.Contains(err.Error(), c.names) || !strings.Contains(err.Error(), c.cure) {
				t.Errorf("message %q should say %q and its cure %q", err, c.names, c.cure)
			}
		})
	}
}

func TestEverythingWrongIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	_, err := config.Load(config.Production, map[string]string{"PORT": "-1"})
	for _, name := range []string{"PORT", "DATABASE_URL", "REDIS_URL", "HOMEROOM_SECRET", "HOMEROOM_JWT_KEYS"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}

func TestTheLocalProfileNeedsNothingAndStaysOnLoopback(t *testing.T) {
	t.Parallel()
	c, err := config.Load(config.Local, map[string]string{})
	if err != nil || c.Bind != "127.0.0.1" || c.Port != 3001 || c.OpsAddr != config.OpsAddr {
		t.Fatalf("%v %v", err, c)
	}
	if _, err := config.Load(config.Local, map[string]string{"HOMEROOM_BIND": "0.0.0.0"}); err == nil {
		t.Fatal("the local profile listened on every address")
	}
}

func TestSecretsAreMaskedWhenPrinted(t *testing.T) {
	t.Parallel()
	c, err := config.Load(config.Production, production("DATABASE_URL=postgres://u:hunter22@db/homeroom"))
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		printed := fmt.Sprintf(verb, c)
		for _, secret := range []string{"hunter22", strings.Repeat("s", 40), goodKey} {
			if strings.Contains(printed, secret) {
				t.Errorf("%s prints a secret", verb)
			}
		}
	}
}

func TestRedisMayBeOneServerSentinelOrCluster(t *testing.T) {
	t.Parallel()
	for address, check := range map[string]func(addrs []string, master string, cluster bool) bool{
		"redis://:pw@one:6379/2": func(a []string, m string, c bool) bool {
			return len(a) == 1 && m == "" &&
				!c
		},
		"redis+sentinel://s1:26379/0?master_name=main&addr=s2:26379": func(a []string, m string, c bool) bool {
			return len(a) == 2 &&
				m == "main" && !c
		},
		"redis+cluster://c1:6379?addr=c2:6379&addr=c3:6379": func(a []string, m string, c bool) bool { return len(a) == 3 && c },
	} {
		o, err := config.RedisOptions(address)
		if err != nil || !check(o.Addrs, o.MasterName, o.IsClusterMode) {
			t.Errorf("%s: %v %+v", address, err, o)
		}
	}
}

func TestSecondFactor_Unset_IsRequiredInProductionOnly(t *testing.T) {
	t.Parallel()
	production, err := config.Load(config.Production, production())
	if err != nil || production.SecondFactor != "required" {
		t.Errorf("production: got %q, %v", production.SecondFactor, err)
	}
	local, err := config.Load(config.Local, nil)
	if err != nil || local.SecondFactor != "optional" {
		t.Errorf("local: got %q, %v", local.SecondFactor, err)
	}
}
