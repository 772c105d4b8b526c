package socketio

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// httpError is a refusal of a request, in the words of the protocol.
type httpError struct {
	status  int
	code    int
	message string
}

func (e *httpError) Error() string { return "socketio: " + e.message }

var (
	errTransport  = &httpError{400, 0, "Transport unknown"}
	errSession    = &httpError{400, 1, "Session ID unknown"}
	errMethod     = &httpError{400, 2, "Bad handshake method"}
	errBadRequest = &httpError{400, 3, "Bad request"}
	errForbidden  = &httpError{403, 4, "Forbidden"}
	errVersion    = &httpError{400, 5, "Unsupported protocol version"}
	errTooLarge   = &httpError{413, 3, "Payload too large"}
	errTooMany    = &httpError{429, 3, "Too many requests"}
	errFull       = &httpError{503, 3, "Unavailable"}
)

func fail(w http.ResponseWriter, e *httpError) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if e.status == http.StatusTooManyRequests || e.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	w.WriteHeader(e.status)
	fmt.Fprintf(w, `{"code":%d,"message":%q}`, e.code, e.message)
}

// ServeHTTP serves every request under the path of Socket.IO, /socket.io/ usually.
func (srv *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !srv.cors(w, r) {
		fail(w, errForbidden)
		return
	}
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	q := r.URL.Query()
	eio := 0
	switch q.Get("EIO") {
	case "3":
		eio = 3
	case "4":
		eio = 4
	}
	transport, sid := q.Get("transport"), q.Get("sid")
	switch {
	case transport != "polling" && transport != "websocket":
		fail(w, errTransport)
	case eio == 0:
		fail(w, errVersion)
	case q.Has("j"):
		fail(w, errBadRequest)
	case sid == "":
		srv.handshake(w, r, eio, transport)
	default:
		srv.resume(w, r, eio, transport, sid)
	}
}

func (srv *Server) resume(w http.ResponseWriter, r *http.Request, eio int, transport, sid string) {
	s := srv.find(sid)
	switch {
	case s == nil:
		fail(w, errSession)
	case s.eio != eio:
		fail(w, errBadRequest)
	case transport == "websocket":
		srv.upgrade(w, r, s)
	case r.Method == http.MethodGet:
		s.poll(w, r)
	case r.Method == http.MethodPost:
		s.post(w, r)
	default:
		fail(w, errBadRequest)
	}
}

// cors says whether the request's origin may speak to us, and lets it read the answer.
// Never "*": 2.x clients send credentials, and browsers then refuse it.
func (srv *Server) cors(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true // a native app: browsers always say
	}
	if !srv.allowed(origin, r.Host) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
		h.Set("Access-Control-Max-Age", "600")
	}
	return true
}

func (srv *Server) allowed(origin, host string) bool {
	origin = strings.ToLower(origin)
	if _, rest, ok := strings.Cut(origin, "://"); ok && rest == strings.ToLower(host) {
		return true
	}
	return slices.Contains(srv.origins, origin)
}
