// Package api is the HTTP kernel: an endpoint is declared once, as a typed row,
// and everything else follows from the row: the route, who may call it, its limit,
// how its input is read and checked, its transaction and its answer; package openapi
// beside it writes its page in the documentation. Handlers see no HTTP; no other
// package registers an endpoint.
package api
