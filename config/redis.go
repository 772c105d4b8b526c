package config

import (
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// RedisOptions reads a Redis address: one server (redis://, rediss://), Sentinel
// (redis+sentinel://host:26379/0?master_name=m&addr=host2:26379) or Cluster
// (redis+cluster://host:6379?addr=host2:6379).
func RedisOptions(address string) (*redis.UniversalOptions, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	switch scheme {
	case "redis+sentinel":
		o, err := redis.ParseFailoverURL("redis://" + rest)
		if err != nil {
			return nil, err
		}
		if o.MasterName == "" {
			return nil, fmt.Errorf("master_name is missing")
		}
		return &redis.UniversalOptions{
			Addrs: o.SentinelAddrs, MasterName: o.MasterName, Username: o.Username, Password: o.Password, DB: o.DB,
			SentinelUsername: o.SentinelUsername, SentinelPassword: o.SentinelPassword, TLSConfig: o.TLSConfig,
		}, nil
	case "redis+cluster":
		o, err := redis.ParseClusterURL("redis://" + rest)
		if err != nil {
			return nil, err
		}
		return &redis.UniversalOptions{Addrs: o.Addrs, Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig, IsClusterMode: true},
			nil
	default:
		o, err := redis.ParseURL(address)
		if err != nil {
			return nil, err
		}
		return &redis.UniversalOptions{Addrs: []string{o.Addr}, Username: o.Username, Password: o.Password, DB: o.DB, TLSConfig: o.TLSConfig},
			nil
	}
}
