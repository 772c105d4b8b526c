//go:build unix

package localstack

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

const (
	redisesLock = "redises.lock"
	masterName  = "homeroom"
	clusterSize = 3
	allSlots    = 16384
	// busOffset is how far a cluster's own port is from the clients' port.
	busOffset = 10_000
)

// Redises are several Redis servers that work together as they do in production, for tests: a cluster, or a server with a
// replica and a Sentinel. They end with the process that started them.
type Redises struct {
	dir      string
	account  account
	program  string
	password string
	lock     *lock
	nodes    []*redis
	address  *url.URL
	secure   bool
	secured  *certificates // once there is a server, if they are reached by TLS
}

// StartRedisCluster runs a cluster of three masters, reached by TLS if it is to be secure.
func StartRedisCluster(ctx context.Context, dir string, secure bool) (*Redises, error) {
	return startRedises(ctx, dir, secure, func(r *Redises) error { return r.cluster(ctx) })
}

// StartRedisSentinel runs a master, its replica, and a Sentinel that makes the replica the master when the master is away.
func StartRedisSentinel(ctx context.Context, dir string, secure bool) (*Redises, error) {
	return startRedises(ctx, dir, secure, func(r *Redises) error { return r.sentinel(ctx) })
}

func startRedises(ctx context.Context, dir string, secure bool, arrange func(*Redises) error) (*Redises, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &Redises{password: rand.Text(), secure: secure}
	if r.account, err = serverAccount(dir); err != nil {
		return nil, err
	}
	var tried []string
	if r.program, tried = findRedis(r.account); r.program == "" {
		return nil, &MissingError{[]string{"Redis"}, tried}
	}
	if r.dir, err = r.account.folder(dir); err != nil {
		return nil, err
	}
	if r.lock, err = openLock(filepath.Join(r.dir, redisesLock)); err != nil {
		return nil, err
	}
	if free, err := r.lock.try(syscall.LOCK_EX); err != nil || !free {
		return nil, errors.Join(err, fmt.Errorf("%s: %w", r.dir, ErrInUse))
	}
	if err := startReaper(r.dir, redisesLock, 0); err != nil {
		return nil, err
	}
	if err := arrange(r); err != nil {
		return nil, errors.Join(err, r.Stop())
	}
	return r, nil
}

// add starts one more server with further lines of configuration.
func (r *Redises) add(ctx context.Context, more ...string) (*redis, error) {
	node := redisIn(filepath.Join(r.dir, fmt.Sprintf("redis-%d", len(r.nodes)+1)), r.account, r.program)
	node.more = append([]string{"masterauth " + r.password}, more...)
	if err := os.MkdirAll(node.folder, r.account.outerMode()); err != nil {
		return nil, err
	}
	port, err := freePortOfCluster()
	if err != nil {
		return nil, err
	}
	if r.secure && r.secured == nil {
		if r.secured, err = makeCertificates(r.account, node.folder); err != nil {
			return nil, err
		}
	}
	node.secured = r.secured
	if err := errors.Join(r.account.write(node.path("password"), r.password+"\n"),
		r.account.write(node.path("port"), fmt.Sprintln(port))); err != nil {
		return nil, err
	}
	if err := node.start(ctx); err != nil {
		return nil, err
	}
	r.nodes = append(r.nodes, node)
	return node, nil
}

// freePortOfCluster leaves room for the port the nodes of a cluster speak to each other on.
func freePortOfCluster() (int, error) {
	for range 200 {
		if port := firstPort + mathrand.IntN(lastPort-busOffset-firstPort); portIsFree(port) && portIsFree(port+busOffset) {
			return port, nil
		}
	}
	return 0, errors.New("no free pair of ports found on 127.0.0.1")
}

func (r *Redises) client(n *redis) *goredis.Client {
	return goredis.NewClient(&goredis.Options{Addr: address(n.port), Password: r.password, TLSConfig: r.assured()})
}

func (r *Redises) cluster(ctx context.Context) error {
	for range clusterSize {
		cluster := []string{"cluster-enabled yes", "cluster-node-timeout 3000", "cluster-config-file nodes.conf"}
		if r.secure {
			cluster = append(cluster, "tls-cluster yes")
		}
		if _, err := r.add(ctx, cluster...); err != nil {
			return err
		}
	}
	first := r.nodes[0]
	for i, n := range r.nodes {
		client := r.client(n)
		defer client.Close()
		err := errors.Join(
			client.ClusterAddSlotsRange(ctx, i*allSlots/clusterSize, (i+1)*allSlots/clusterSize-1).Err(),
			client.Do(ctx, "cluster", "set-config-epoch", i+1).Err(),
		)
		if err == nil && i > 0 {
			err = client.ClusterMeet(ctx, "127.0.0.1", fmt.Sprint(first.port)).Err()
		}
		if err != nil {
			return fmt.Errorf("joining the cluster: %w", err)
		}
	}
	r.address = &url.URL{Scheme: r.scheme() + "+cluster", User: url.UserPassword("", r.password), Host: address(first.port)}
	return r.until(ctx, func(client *goredis.Client) error {
		info, err := client.ClusterInfo(ctx).Result()
		if err == nil && (!strings.Contains(info, "cluster_state:ok") ||
			!strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", clusterSize))) {
			err = errors.New("the cluster is not together")
		}
		return err
	})
}

// until waits for what must hold of every server.
func (r *Redises) until(ctx context.Context, holds func(*goredis.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, hung)
	defer cancel()
	for _, n := range r.nodes {
		client := r.client(n)
		defer client.Close()
		var last error
		err := poll(ctx, 20*time.Millisecond, func() (bool, error) {
			last = holds(client)
			return last == nil, nil
		}, func() error { return last })
		if err != nil {
			return fmt.Errorf("waiting for %s: %w", n.folder, err)
		}
	}
	return nil
}

func (r *Redises) sentinel(ctx context.Context) error {
	master, err := r.add(ctx)
	if err != nil {
		return err
	}
	if _, err := r.add(ctx, fmt.Sprintf("replicaof 127.0.0.1 %d", master.port)); err != nil {
		return err
	}
	err = r.until(ctx, func(client *goredis.Client) error {
		info, err := client.Info(ctx, "replication").Result()
		if err == nil && !strings.Contains(info, "connected_slaves:1") && !strings.Contains(info, "master_link_status:up") {
			err = errors.New("the replica does not follow")
		}
		return err
	})
	if err != nil {
		return err
	}
	watch := redisIn(filepath.Join(r.dir, "redis-sentinel"), r.account, r.program)
	watch.title, watch.secured = "Sentinel", r.secured
	watch.args = func(port int) []string {
		return append([]string{watch.path("data/sentinel.conf"), "--sentinel"}, watch.ports(port)...)
	}
	watch.answers = func(ctx context.Context, port int) error {
		client := goredis.NewSentinelClient(&goredis.Options{Addr: address(port), MaxRetries: -1, DialTimeout: time.Second,
			TLSConfig: r.assured()})
		defer client.Close()
		known, err := client.Master(ctx, masterName).Result()
		if err == nil && (known["port"] != fmt.Sprint(master.port) || known["num-slaves"] != "1") {
			err = errors.New("it does not know the replica yet")
		}
		return err
	}
	if err := r.account.own(watch.path("data")); err != nil {
		return err
	}
	// Sentinel writes to its own configuration, so it lies in the folder that is the servers' user's.
	err = r.account.write(watch.path("sentinel.conf"), strings.Join([]string{
		"bind 127.0.0.1", "daemonize no", "set-proc-title no",
		fmt.Sprintf("dir %q", watch.path("data")), fmt.Sprintf("pidfile %q", watch.pidFile),
		fmt.Sprintf("sentinel monitor %s 127.0.0.1 %d 1", masterName, master.port),
		"sentinel auth-pass " + masterName + " " + r.password,
		"sentinel down-after-milliseconds " + masterName + " 1000",
		"sentinel failover-timeout " + masterName + " 15000", "", // a step that takes longer on a slow machine begins the whole anew
	}, "\n"))
	if err == nil {
		err = os.Rename(watch.path("sentinel.conf"), watch.path("data/sentinel.conf"))
	}
	if err != nil {
		return err
	}
	if err := watch.daemon.start(ctx); err != nil {
		return err
	}
	r.nodes = append(r.nodes, watch)
	r.address = &url.URL{Scheme: r.scheme() + "+sentinel", Host: address(watch.port), Path: "/0",
		RawQuery: url.Values{"master_name": {masterName}, "password": {r.password}}.Encode()}
	return nil
}

func (r *Redises) scheme() string {
	if r.secure {
		return "rediss"
	}
	return "redis"
}

// assured is how clients of ours are sure of the servers; nil is without TLS.
func (r *Redises) assured() *tls.Config {
	if r.secured == nil {
		return nil
	}
	return r.secured.client
}

// Authority is the file of whom the servers' certificates are by.
func (r *Redises) Authority() string { return r.secured.authority }

// URL is what the program takes as its REDIS_URL.
func (r *Redises) URL() string { return r.address.String() }

// KillFirst ends the first server as a power failure would: under a Sentinel, the master.
func (r *Redises) KillFirst() error {
	first := r.nodes[0]
	if err := first.process.end(hung, syscall.SIGKILL); err != nil {
		return err
	}
	first.process = nil
	return nil
}

// Stop ends the servers and removes their folders.
func (r *Redises) Stop() error {
	if r.lock == nil {
		return nil
	}
	defer r.lock.release()
	var stops []func() error
	for _, n := range r.nodes {
		stops = append(stops, n.stop)
	}
	err := together(stops)
	for _, n := range r.nodes {
		err = errors.Join(err, removeStubborn(n.folder))
	}
	return errors.Join(err, removeFolder(r.dir, redisesLock))
}
