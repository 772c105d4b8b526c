package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// stormSignIns is how many people sign in at once, each again as soon as answered.
	stormSignIns = 200
	// stormReads is how many reads a second go on beside them: a steady pace, since a
	// server that is slower would else be asked less.
	stormReads = 100
	// stormAllowed is how much longer the slowest reads may take meanwhile.
	stormAllowed = 2.0
	// stormBegins is not measured: two hundred connections opened in one instant by a
	// client that shares the server's cores are the client's work, not the server's.
	stormBegins = time.Second
)

// measureStorm finds what a storm of sign-ins does to everybody else: how long the
// slowest of a hundred reads takes, quiet and with two hundred people signing in.
// Hashing may use only the cores it is given, so the rest of the house goes on.
func measureStorm(ctx context.Context, b *bench) error {
	f, err := b.schools(ctx, 1)
	if err != nil {
		return err
	}
	tokens, err := f.signIn(ctx, 1)
	if err != nil {
		return err
	}
	server, err := startChild(ctx, "ours", f.childSettings(b.servers))
	if err != nil {
		return err
	}
	defer server.stop()
	s := storm{address: "http://" + server.Address, token: tokens[1]}
	var quiet, loud []time.Duration
	for range b.rounds {
		q, err := s.reads(time.Duration(b.seconds) * time.Second)
		if err != nil {
			return err
		}
		stop := s.signIns()
		l, err := s.reads(time.Duration(b.seconds) * time.Second)
		answered := stop()
		if err != nil {
			return err
		}
		quiet, loud = append(quiet, q), append(loud, l)
		b.report.note(fmt.Sprintf("storm: %d sign-ins were answered in %.0f s beside the reads", answered,
			stormBegins.Seconds()+float64(b.seconds)))
	}
	b.report.add(line{
		what: fmt.Sprintf("slowest of a hundred reads while %d people sign in: itself without them", stormSignIns),
		ours: millis(median(loud)), limit: millis(median(quiet)), ratio: float64(median(loud)) / float64(median(quiet)),
		target: atMost(stormAllowed),
	})
	return nil
}

type storm struct{ address, token string }

// reads asks at a steady pace for stormBegins and d, and returns the time within which
// 99 of 100 asked in d were answered.
func (s storm) reads(d time.Duration) (time.Duration, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: stormReads}}
	defer client.CloseIdleConnections()
	random := rand.New(rand.NewPCG(1, 1))
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	var all sync.WaitGroup
	tick := time.NewTicker(time.Second / stormReads)
	defer tick.Stop()
	settled := time.Now().Add(stormBegins)
	for end := settled.Add(d); time.Now().Before(end); <-tick.C {
		path := recordPath + studentID(random)
		all.Go(func() {
			began := time.Now()
			err := s.read(client, path)
			mu.Lock()
			defer mu.Unlock()
			if began.After(settled) {
				took = append(took, time.Since(began))
			}
			if err != nil {
				failed = err
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	return took[len(took)*99/100], failed
}

func (s storm) read(client *http.Client, path string) error {
	req, err := http.NewRequest(http.MethodGet, s.address+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("a read was answered %d", resp.StatusCode)
	}
	return nil
}

// signIns keeps stormSignIns people signing in until stop is called, which says how
// many were answered. Nobody has their e-mails: such a try costs as much as any other.
func (s storm) signIns() (stop func() int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: stormSignIns}}
	end := make(chan struct{})
	answered := make([]int, stormSignIns)
	var all sync.WaitGroup
	for i := range stormSignIns {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-end:
					return
				default:
				}
				body := fmt.Sprintf(`{"email":"nobody-%d-%d-%d@bench.local","password":"a password that is wrong"}`, i, n, time.Now().UnixNano())
				resp, err := client.Post(s.address+"/auth/login", "application/json", bytes.NewBufferString(body))
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				answered[i]++
			}
		})
	}
	return func() int {
		close(end)
		all.Wait()
		client.CloseIdleConnections()
		total := 0
		for _, n := range answered {
			total += n
		}
		return total
	}
}
