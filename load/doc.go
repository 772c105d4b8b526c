// Package load drives a fleet of instances as a morning does: parents look where the bus
// and the child are, teachers mark their classes, buses report where they are. `make load`
// runs it; it needs k6, which scripts/need brings. With HOMEROOM_LOAD_STANDBY=yes a standby answers what it may: the cores of
// Postgres in two runs at one rate, with and without, say how much of the node's work it takes.
package load
