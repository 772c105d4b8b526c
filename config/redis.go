package config

import (
	"crypto/tls"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// RedisOptions reads a Redis address: one server (redis://), Sentinel
// (redis+sentinel://host:26379/0?master_name=m&addr=host2:26379) or Cluster
// (redis+cluster://host:6379?addr=host2:6379). With rediss in place of redis all of them
// are reached by TLS, and prove that they are who they are said to be.
func RedisOptions(address string) (*redis.UniversalOptions, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	plain, kind, _ := strings.Cut(scheme, "+") // redis or rediss
	switch kind {
	case "sentinel":
		o, err := redis.ParseFailoverURL(plain + "://" + rest)
		if err != nil {
			return nil, err
		}
		if o.MasterName == "" {
			return nil, fmt.Errorf("master_name is missing")
		}
		return &redis.UniversalOptions{
			Addrs: o.SentinelAddrs, MasterName: o.MasterName, Username: o.Username, Password: o.Password, DB: o.DB,
			SentinelUsername: o.SentinelUsername, SentinelPassword: o.SentinelPassword, TLSConfig: byAddress(o.TLSConfig),
		}, nil
	case "cluster":
		o, err := redis.ParseClusterURL(plain + "://" + rest)
		if err != nil {
			return nil, err
		}
		return &redis.UniversalOptions{Addrs: o.Addrs, Username: o.Username, Password: o.Password, TLSConfig: byAddress(o.TLSConfig),
				IsClusterMode: true},
			nil
	case "":
		o, err := redis.ParseURL(address)
		if err != nil {
			return nil, err
		}
		return &redis.UniversalOptions{Addrs: []string{o.Addr}, Username: o.Username, Password: o.Password, DB: o.DB, TLSConfig: o.TLSConfig},
			nil
	}
	return nil, fmt.Errorf("%s is no kind of Redis", scheme)
}

// byAddress has each of several servers prove that it is the one it was called by, not the first.
func byAddress(c *tls.Config) *tls.Config {
	if c != nil {
		c = c.Clone()
		c.ServerName = ""
	}
	return c
}
