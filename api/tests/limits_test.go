package api_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"homeroom/api"
	"homeroom/testkit"
)

// loopback is an address of this machine that no other test calls from.
func loopback() string {
	n := testkit.Unique()
	return fmt.Sprintf("127.%d.%d.%d", 1+n>>16%254, n>>8%256, n%256)
}

const (
	readPath  = "/school-admin/class/list"
	writePath = "/school-admin/class/create"
	knockPath = "/auth/knock" // the lab's sign-in
)

// statuses counts the answers of n calls at once, shared out over the clients.
func statuses(t *testing.T, n int, call func(i int) (testkit.Answer, error)) map[int]int {
	t.Helper()
	var mu sync.Mutex
	count := map[int]int{}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			a, err := call(i)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			count[a.Status]++
		})
	}
	wg.Wait()
	return count
}

func TestALimitIsExactOverTwoInstancesWithAHundredCallsAtOnce(t *testing.T) {
	t.Parallel()
	one, two := startLab(t, limitReads("37-H")), startLab(t, limitReads("37-H"))
	admin := one.NewSchool(t).As(t, api.SchoolAdmin)
	count := statuses(t, 100, func(i int) (testkit.Answer, error) {
		return []*testkit.Client{admin, admin.On(two)}[i%2].TryCall("GET", readPath, nil)
	})
	if count[200] != 37 || count[429] != 63 {
		t.Errorf("statuses %v, want 37 × 200 and 63 × 429", count)
	}
}

func TestEveryUserHasALimitOfTheirOwnForEachClass(t *testing.T) {
	t.Parallel()
	app := startLab(t, limitReads("3-H"), limitWrites("2-H"))
	s := app.NewSchool(t)
	one, two := s.As(t, api.SchoolAdmin), s.As(t, api.SchoolAdmin)
	for i, want := range []int{201, 201, 429} {
		if a := one.Call(t, "POST", writePath, map[string]any{"name": fmt.Sprint("Class ", i)}); a.Status != want {
			t.Errorf("write %d: %d %s", i+1, a.Status, a.Body)
		}
	}
	for i, want := range []int{200, 200, 200, 429} {
		if a := one.Call(t, "GET", readPath, nil); a.Status != want {
			t.Errorf("read %d: %d %s", i+1, a.Status, a.Body)
		}
	}
	if a := two.Call(t, "GET", readPath, nil); a.Status != 200 {
		t.Errorf("another user: %d %s", a.Status, a.Body)
	}
}

func TestThePOSTTwinOfAListCountsAsARead(t *testing.T) {
	t.Parallel()
	app := startLab(t, limitReads("3-H"), limitWrites("1-H"))
	admin := app.NewSchool(t).As(t, api.SchoolAdmin)
	for i, want := range []int{200, 200, 200, 429} {
		method := []string{"POST", "GET"}[i%2]
		var data any
		if method == "POST" {
			data = map[string]any{"page": 1}
		}
		a := admin.Call(t, method, readPath, data)
		if a.Status != want || a.Header.Get("X-RateLimit-Limit") != "3" {
			t.Errorf("call %d (%s): %d with limit %s", i+1, method, a.Status, a.Header.Get("X-RateLimit-Limit"))
		}
	}
}

func TestTheLimitIsSaidOnEveryAnswer(t *testing.T) {
	t.Parallel()
	app := startLab(t, limitReads("6-H"), limitSignIns("2-H"))
	admin := app.NewSchool(t).As(t, api.SchoolAdmin)
	nobody := app.Nobody().From(t, loopback())
	for _, call := range []struct {
		what      string
		answer    testkit.Answer
		status    int
		remaining string
	}{
		{"a success", admin.Call(t, "GET", readPath, nil), 200, "5"},
		{"a refused page", admin.Call(t, "GET", readPath+"?limit=1000", nil), 422, "4"},
		{"a record that is not there", admin.Call(t, "GET", "/school-admin/class/"+api.NewID().String(), nil), 404, "3"},
		{"an id that is none", admin.Call(t, "GET", "/school-admin/class/5", nil), 400, "2"},
		{"a panic", admin.Call(t, "GET", "/school-admin/report/panic", nil), 500, "1"},
		{"the last", admin.Call(t, "GET", readPath, nil), 200, "0"},
		{"one too many", admin.Call(t, "GET", readPath, nil), 429, "0"},
		{"no token", nobody.Call(t, "GET", readPath, nil), 401, "5"},
		{"no such path", nobody.Call(t, "GET", "/nothing", nil), 404, "4"},
		{"a wrong method", nobody.Call(t, "PATCH", readPath, nil), 405, "3"},
		{"a sign-in", nobody.Call(t, "POST", knockPath, nil), 200, "1"},
		{"a bad sign-in", nobody.Call(t, "POST", knockPath, map[string]any{"email": "none"}), 422, "0"},
		{"a try too many", nobody.Call(t, "POST", knockPath, nil), 429, "0"},
	} {
		h := call.answer.Header
		if call.answer.Status != call.status || h.Get("X-RateLimit-Remaining") != call.remaining {
			t.Errorf("%s: %d with %q left, want %d with %s: %s", call.what, call.answer.Status, h.Get("X-RateLimit-Remaining"), call.status,
				call.remaining, call.answer.Body)
		}
		reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
		if left := time.Until(time.Unix(reset, 0)); err != nil || left > time.Hour || left <= 0 || h.Get("X-RateLimit-Limit") == "" {
			t.Errorf("%s: headers %v", call.what, h)
		}
		if call.status != 429 {
			continue
		}
		after, err := strconv.Atoi(h.Get("Retry-After"))
		if err != nil || after < 1 || after > 3600 {
			t.Errorf("%s: Retry-After %q", call.what, h.Get("Retry-After"))
		}
		if f := call.answer.Failure(t); f.Error != "Too Many Requests" {
			t.Errorf("%s: %+v", call.what, f)
		}
	}
}

func TestARotatingForwardedAddressDoesNotHelp(t *testing.T) {
	t.Parallel()
	app := startLab(t, limitSignIns("5-H"), limitReads("5-H"))
	caller := app.Nobody().From(t, loopback())
	spoof := func(i int) *testkit.Client {
		c := caller
		for _, header := range []string{"X-Forwarded-For", "X-Real-Ip", "Forwarded", "True-Client-Ip", "Cf-Connecting-Ip",
			"X-Appengine-Remote-Addr"} {
			c = c.With(header, fmt.Sprintf("203.0.113.%d", i))
		}
		return c
	}
	if count := statuses(t, 20, func(i int) (testkit.Answer, error) { return spoof(i).TryCall("POST", knockPath, nil) }); count[200] != 5 ||
		count[429] != 15 {
		t.Errorf("sign-ins: %v, want 5 × 200 and 15 × 429", count)
	}
	if count := statuses(t, 20, func(i int) (testkit.Answer, error) { return spoof(i).TryCall("GET", readPath, nil) }); count[401] != 5 ||
		count[429] != 15 {
		t.Errorf("calls without a token: %v, want 5 × 401 and 15 × 429", count)
	}
}

func TestATrustedProxysWordIsTaken(t *testing.T) {
	t.Parallel()
	proxy := loopback()
	app := startLab(t, limitSignIns("2-H"), trust(proxy))
	through := app.Nobody().From(t, proxy)
	client := func() string { return fmt.Sprintf("2001:db8:%x:%x::1", rand.IntN(1<<16), rand.IntN(1<<16)) }
	one, two := client(), client()
	for i, want := range []int{200, 200, 429} {
		// What the client itself wrote in front of the proxy's word does not count.
		a := through.With("X-Forwarded-For", client()+", "+one).Call(t, "POST", knockPath, nil)
		if a.Status != want {
			t.Errorf("call %d: %d %s", i+1, a.Status, a.Body)
		}
	}
	if a := through.With("X-Forwarded-For", two).Call(t, "POST", knockPath, nil); a.Status != 200 {
		t.Errorf("another client: %d %s", a.Status, a.Body)
	}
	elsewhere := app.Nobody().From(t, loopback())
	for i, want := range []int{200, 200, 429} {
		if a := elsewhere.With("X-Forwarded-For", client()).Call(t, "POST", knockPath, nil); a.Status != want {
			t.Errorf("past the proxy, call %d: %d %s", i+1, a.Status, a.Body)
		}
	}
}

func TestACounterThatLostItsTimeToLiveHeals(t *testing.T) {
	t.Parallel()
	app := startLab(t, limitReads("3-H"))
	admin := app.NewSchool(t).As(t, api.SchoolAdmin)
	for range 4 {
		admin.Call(t, "GET", readPath, nil)
	}
	ctx := context.Background()
	keys, err := app.Service.Redis.Keys(ctx, "*"+admin.UserID.String()+"*").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("counters %v, %v", keys, err)
	}
	if err := app.Service.Redis.Persist(ctx, keys[0]).Err(); err != nil {
		t.Fatal(err)
	}
	if a := admin.Call(t, "GET", readPath, nil); a.Status != 429 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	left, err := app.Service.Redis.PTTL(ctx, keys[0]).Result()
	if err != nil || left <= 0 || left > time.Hour {
		t.Errorf("the counter lives for %v, %v", left, err)
	}
}

func TestAWindowThatHasPassedIsForgotten(t *testing.T) {
	t.Parallel()
	app := startLab(t, limitReads("2-H"))
	admin := app.NewSchool(t).As(t, api.SchoolAdmin)
	for i, want := range []int{200, 200, 429} {
		if a := admin.Call(t, "GET", readPath, nil); a.Status != want {
			t.Fatalf("call %d: %d, want %d", i+1, a.Status, want)
		}
	}
	keys, err := app.Service.Redis.Keys(t.Context(), "*"+admin.UserID.String()+"*").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("counters %v, %v", keys, err)
	}
	if err := app.Service.Redis.PExpire(t.Context(), keys[0], time.Millisecond).Err(); err != nil { // the hour is over
		t.Fatal(err)
	}
	testkit.Eventually(t, "they are let in again", func() bool { return admin.Call(t, "GET", readPath, nil).Status == 200 })
}

func TestACallerWhoHangsUpDoesNotMakeRedisLookAway(t *testing.T) {
	t.Parallel()
	app := startLab(t)
	hangUp(t, app, 50, "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
	hangUp(t, app, 50, "GET /school-admin/class/list HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n")
	for range 20 {
		if a := app.Nobody().Call(t, "POST", knockPath, nil); a.Status != 200 {
			t.Fatalf("a sign-in: %d %s", a.Status, a.Body)
		}
	}
	if away := awayLines(app); away != 0 {
		t.Errorf("Redis was thought away %d times", away)
	}
}
