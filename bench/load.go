package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// load asks a server as fast as it answers, over connections that stay open. It is
// written on plain sockets, as wrk is: the generator shares the machine with what it
// measures, and net/http's client costs about as much as a server.
type load struct {
	address string
	clients int
	seed    uint64
	// least is how many answers the warm-up has to see.
	least int64
	// request appends the next request to b.
	request func(r *rand.Rand, b []byte) []byte

	warm     *atomic.Int64 // answers so far
	counting chan struct{} // closed when the warm-up is over
	end      chan struct{} // closed when all is over
}

// pace is how a load was answered.
type pace struct {
	requests int
	took     time.Duration
	median   time.Duration
	p99      time.Duration
}

func (p pace) perSecond() float64 { return float64(p.requests) / p.took.Seconds() }

// run warms up for so long and until enough was answered, then calls started, and
// counts for the given time.
func (l load) run(warm, d time.Duration, started func()) (pace, error) {
	l.warm, l.counting, l.end = &atomic.Int64{}, make(chan struct{}), make(chan struct{})
	errs := make([]error, l.clients)
	took := make([][]time.Duration, l.clients)
	var all sync.WaitGroup
	for i := range l.clients {
		all.Go(func() { took[i], errs[i] = l.client(uint64(i)) })
	}
	for began := time.Now(); time.Since(began) < warm || (l.warm.Load() < l.least && time.Since(began) < 10*warm); {
		time.Sleep(20 * time.Millisecond)
	}
	started()
	began := time.Now()
	close(l.counting)
	time.Sleep(d)
	counted := time.Since(began)
	close(l.end)
	all.Wait()
	joined := slices.Concat(took...)
	if err := errors.Join(errs...); err != nil || len(joined) == 0 {
		return pace{}, errors.Join(err, errors.New("the load was not answered"))
	}
	slices.Sort(joined)
	return pace{requests: len(joined), took: counted, median: joined[len(joined)/2], p99: joined[len(joined)*99/100]}, nil
}

func (l load) client(number uint64) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", l.address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	random := rand.New(rand.NewPCG(l.seed, number))
	in := bufio.NewReaderSize(conn, 32<<10)
	var out []byte
	var took []time.Duration
	for {
		out = l.request(random, out[:0])
		began := time.Now()
		if _, err := conn.Write(out); err != nil {
			return took, err
		}
		if _, err := readAnswer(in, nil); err != nil {
			return took, err
		}
		select {
		case <-l.end:
			return took, nil
		case <-l.counting:
			took = append(took, time.Since(began))
		default:
			l.warm.Add(1)
		}
	}
}

// once sends a single request and returns the body of its answer.
func (l load) once() ([]byte, error) {
	conn, err := net.Dial("tcp", l.address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.Write(l.request(rand.New(rand.NewPCG(l.seed, 0)), nil)); err != nil {
		return nil, err
	}
	return readAnswer(bufio.NewReader(conn), []byte{})
}

// readAnswer reads one answer; the body only if one is given to append to.
func readAnswer(in *bufio.Reader, body []byte) ([]byte, error) {
	status, err := in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 20")) {
		rest, _ := in.Peek(in.Buffered())
		return nil, fmt.Errorf("answered %s%s", status, rest)
	}
	length, chunked := 0, false
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return nil, err
			}
		}
		chunked = chunked || bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked"))
	}
	if !chunked {
		return take(in, body, length)
	}
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return nil, err
		}
		if body, err = take(in, body, int(size)); err != nil {
			return nil, err
		}
		if _, err := in.Discard(2); err != nil || size == 0 {
			return body, err
		}
	}
}

func take(in *bufio.Reader, body []byte, n int) ([]byte, error) {
	if body == nil {
		_, err := in.Discard(n)
		return nil, err
	}
	body = slices.Grow(body, n)
	_, err := io.ReadFull(in, body[len(body):len(body)+n])
	return body[:len(body)+n], err
}
