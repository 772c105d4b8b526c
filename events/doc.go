// Package events publishes facts from one module to the others, at least once, and
// sends hints between instances, which may be lost. It knows no module and sends
// nothing to users.
//
// A handler writes a fact in the transaction of its change. After the commit the relay
// publishes it to the listeners on the bus. Facts are in Postgres; Redis only has the
// outboxes to check and when, and may lose everything. The terms:
//
//   - A fact is something that happened in a school, in the past tense.
//   - An outbox is the table of one school's facts that were not yet processed by all their
//     listeners.
//   - A lease is an entry in Redis by which an instance says that it is committing facts
//     of a school and will publish them. It removes the lease afterwards. If it dies, the
//     lease stays and the other instances check that outbox.
//   - A pending row is an entry in Redis that says when a school's outbox is to be checked
//     next, because a fact is due later or is retried.
//   - An observation is what this instance's polls saw of a lease or a pending row.
//   - A sweep checks the outboxes of all schools, in case leases were lost. One instance
//     sweeps for all.
//   - The generation is the time the last complete sweep began. It is stored with the
//     leases, so that losing the leases loses it too and causes a sweep.
package events
