package service_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/cmd/service"
	"homeroom/delivery"
	"homeroom/modules/roster"
	"homeroom/testkit"
	"homeroom/testkit/wait"
)

// scrape reads the metrics of an instance: values by name and labels, as they are written.
func scrape(t *testing.T, address string) map[string]float64 {
	t.Helper()
	resp, err := http.Get(address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("metrics: %d %v %s", resp.StatusCode, err, text)
	}
	out := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		cut := strings.LastIndexByte(line, ' ')
		if line[0] == '#' || cut < 0 {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[cut:]), 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		out[line[:cut]] = value
	}
	return out
}

// picky is a provider that never takes anything for one phone.
type picky string

func (p picky) Send(_ context.Context, m delivery.Message) (string, error) {
	if m.To == string(p) {
		return "", &delivery.Fault{Permanent: true, Err: errors.New("there is no such phone")}
	}
	return "1", nil
}

func TestWhatHappenedIsToldOnTheOperationsListener(t *testing.T) {
	t.Parallel()
	stack, name := testkit.Stack(t), "metrics_"+uuid.NewString()[:8]
	c := testkit.Shared(t).Service.Config
	c.DatabaseURL, c.NodeURL, c.Spares = testkit.Database(t, stack, "main", name), testkit.Database(t, stack, "north", name), 0
	deaf, clock := testkit.NewPhone(), wait.NewClock()
	in := produce(t, c, service.Options{Namespace: name, Clock: clock.Now,
		Drivers: map[delivery.Channel]delivery.Driver{delivery.SMS: picky(deaf)}})
	school := in.app.NewSchool(t)
	platform := in.app.Service.Cluster.PlatformPool()
	count := func(sql string, args ...any) (n int) {
		t.Helper()
		if err := platform.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}

	// A fact, two tries to sign in that are refused, two codes of which one cannot be
	// delivered, a position of no trip, and a school that was left behind.
	testkit.Post[roster.Employee](t, school.As(t, api.SchoolAdmin), "/school-admin/employee/create",
		map[string]any{"firstName": "Ravi", "phone": testkit.NewPhone(), "employeeType": "DRIVER"})
	nobody := in.app.Nobody()
	nobody.Refuses(t, "POST", "/auth/login", map[string]any{"email": "nobody@example.org", "password": "not-a-password"}, 400,
		"PASSWORD_WRONG")
	school.Add(t, testkit.Person{Role: api.Driver, Phone: deaf})
	hears := school.Add(t, testkit.Person{Role: api.Driver}).Phone
	for _, phone := range []string{deaf, hears} {
		if a := nobody.Call(t, "POST", "/driver/user-auth/send-otp", map[string]any{"phone": phone}); a.Status != 200 {
			t.Fatalf("send-otp: %d %s", a.Status, a.Body)
		}
	}
	nobody.Refuses(t, "POST", "/driver/user-auth/verify-otp", map[string]any{"phone": testkit.NewPhone(), "otp": "123456"}, 400,
		"OTP_INVALID")
	if err := in.app.Service.Tracker.Report(t.Context(), school.ID, uuid.New(), []byte("{}"), func(error) {}); err == nil {
		t.Error("a position of nobody was taken")
	}
	_, err := platform.Exec(t.Context(), `insert into platform.school (id, code, name, node, schema_name, shard, status, time_zone, locale,
		currency, schema_version)
		values ($1::uuid, 'behind', 'Left Behind', 'main', 'school_' || replace($1::uuid::text, '-', ''), 0, 'SUSPENDED', 'UTC', 'en', 'INR',
		1)`, uuid.New())
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "all of it has happened", func() bool {
		return count(`select count(*) from platform.dead_letter`) == 1 &&
			count(`select count(*) from platform.message where state = 'QUEUED'`) == 0 &&
			count(`select count(*) from platform.river_job where state = 'completed' and kind = 'resume'`) > 0 &&
			school.Count(t, "outbox", "true") == 0
	})

	ops := "http://" + in.ops
	told := scrape(t, ops)
	for metric, want := range map[string]float64{
		`homeroom_sign_ins_total{method="password",outcome="refused"}`:               1,
		`homeroom_sign_ins_total{method="code",outcome="refused"}`:                   1,
		`homeroom_sign_ins_total{method="pin",outcome="in"}`:                         0,
		`homeroom_http_requests_total{row="POST /auth/login",status="400"}`:          1,
		`homeroom_deliveries_total{channel="SMS",outcome="failed"}`:                  1,
		`homeroom_deliveries_total{channel="SMS",outcome="sent"}`:                    1,
		`homeroom_delivery_paused{channel="SMS"}`:                                    0,
		`homeroom_dead_letters{channel="SMS"}`:                                       1,
		`homeroom_sign_in_messages_waiting{channel="SMS"}`:                           0,
		`homeroom_schools{node="main",status="ACTIVE"}`:                              1,
		`homeroom_schools{node="main",status="SUSPENDED"}`:                           1,
		`homeroom_schools_behind{node="main"}`:                                       1,
		`homeroom_spare_schemas{node="main"}`:                                        0,
		`homeroom_moves{state="running"}`:                                            0,
		`homeroom_platform_up`:                                                       1,
		`homeroom_positions_total{outcome="received"}`:                               1,
		`homeroom_positions_total{outcome="refused"}`:                                1,
		`homeroom_positions_total{outcome="written"}`:                                0,
		`homeroom_password_hashes_total`:                                             1,
		`homeroom_password_hashes_waiting`:                                           0,
		`homeroom_redis_unreachable{part="limits"}`:                                  0,
		`homeroom_db_connections_max{node="main",pool="requests",shard="00"}`:        float64(c.ShardConns),
		`homeroom_db_connections{node="main",pool="long",shard="00",state="in_use"}`: 0,
		`homeroom_facts_published_total{outcome="failed"}`:                           0,
	} {
		if got, there := told[metric]; !there || got != want {
			t.Errorf("%s is %v (told: %v), want %v", metric, got, there, want)
		}
	}
	for _, metric := range []string{
		`homeroom_facts_published_total{outcome="heard"}`, `homeroom_fact_lateness_seconds_count`, `homeroom_redis_call_duration_seconds_count`,
		`homeroom_jobs_processed_total{kind="resume",outcome="done"}`, `go_goroutines`, `process_resident_memory_bytes`,
	} {
		if told[metric] < 1 {
			t.Errorf("%s is %v", metric, told[metric])
		}
	}

	// However often it is asked, the platform is not.
	if _, err := platform.Exec(t.Context(), `delete from platform.dead_letter`); err != nil {
		t.Fatal(err)
	}
	if again := scrape(t, ops); again[`homeroom_dead_letters{channel="SMS"}`] != 1 {
		t.Error("the platform was counted again at once")
	}
	clock.Pass(16 * time.Second)
	if again := scrape(t, ops); again[`homeroom_dead_letters{channel="SMS"}`] != 0 {
		t.Error("the platform was not counted again when the figures had grown old")
	}

	// What the rules, the dashboard and the pages name is told. All outboxes are swept a moment after the start.
	testkit.Eventually(t, "the outboxes were swept",
		func() bool { told = scrape(t, ops); return told["homeroom_outbox_swept_timestamp_seconds"] > 0 })
	names := map[string]bool{}
	for metric := range told {
		name, _, _ := strings.Cut(metric, "{")
		names[name] = true
		for _, part := range []string{"_bucket", "_sum", "_count"} { // a histogram is also called by its own name
			names[strings.TrimSuffix(name, part)] = true
		}
	}
	for name, file := range watched(t) {
		if !names[name] {
			t.Errorf("%s names %s, which no instance tells", file, name)
		}
	}
}

// watched are the metrics that the files of operations name, each with one of the files.
func watched(t *testing.T) map[string]string {
	t.Helper()
	metric := regexp.MustCompile(`\b(homeroom|go|process)_[a-z0-9_]*[a-z0-9]\b`)
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "prometheus/*.yml", "grafana/*.json"} {
		files, err := filepath.Glob("../../docs/operations/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range metric.FindAllString(string(text), -1) {
				found[name] = file
			}
		}
	}
	return found
}
