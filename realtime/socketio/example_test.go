package socketio_test

import (
	"encoding/json"
	"net/http"

	"homeroom/realtime/socketio"
)

// A server where everybody hears of a bus they ask for.
func Example() {
	server := socketio.New(socketio.Options{
		Authenticate: func(r *http.Request, auth json.RawMessage) (any, *socketio.Refusal) {
			var sent struct{ Token string }
			if json.Unmarshal(auth, &sent) != nil || sent.Token == "" {
				sent.Token = r.URL.Query().Get("token") // 2.x
			}
			if sent.Token == "" {
				return nil, &socketio.Refusal{Message: "sign in first"}
			}
			return sent.Token, nil
		},
		OnEvent: func(s *socketio.Socket, name string, args []json.RawMessage, ack func(any)) {
			var bus string
			if name != "join-bus-room" || len(args) == 0 || json.Unmarshal(args[0], &bus) != nil {
				ack(map[string]any{"ok": false})
				return
			}
			s.Join("bus " + bus)
			ack(map[string]any{"ok": true})
		},
	})
	http.Handle("/socket.io/", server)
	_ = server.EmitLatest("bus 7", "position", "location", map[string]float64{"lat": 10.0159, "lng": 76.3419})
}
