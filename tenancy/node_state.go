package tenancy

// NodeState is what an instance knows of a node it has opened, for metrics. It asks no server.
type NodeState struct {
	Name           string // empty: the platform's server
	RefusedLogins  int64  // since the start
	Stranger       bool   // it refuses this platform
	StandbyIgnored bool   // it has one that is not read from
}

// NodeStates are those of the platform's server and of every node that was opened.
func (c *Cluster) NodeStates() []NodeState {
	count := func(logins []*login) (times int64) {
		for _, l := range logins {
			times += l.times.Load()
		}
		return times
	}
	states := []NodeState{{RefusedLogins: count(c.logins)}}
	for _, n := range c.listed() {
		why, _ := n.Standby()
		states = append(states, NodeState{Name: n.Name, RefusedLogins: count(n.logins), Stranger: n.stranger.Load(), StandbyIgnored: why != ""})
	}
	return states
}
