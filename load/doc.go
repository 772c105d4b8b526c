// Package load drives a fleet of instances as a morning does: parents look where the bus
// and the child are, teachers mark their classes, buses report where they are. `make load`
// runs it; it needs k6, which scripts/need brings.
package load
