package fcm

import (
	"context"

	"firebase.google.com/go/v4/messaging"
	"google.golang.org/api/option"
)

// sdkVersion is the version of Firebase's SDK in go.mod, which its client names in a header.
const sdkVersion = "4.19.0"

// config is what messaging.NewClient takes, whose own type is internal to the SDK.
type config = struct {
	Opts      []option.ClientOption
	ProjectID string
	Version   string
}

// newClient calls messaging.NewClient. The SDK means it to be reached through its root package, which also links Firestore,
// Cloud Storage and gRPC's xDS: 196 packages and 16 MB of the program, none of which push needs. The compiler infers C,
// the type that cannot be named here, and refuses an SDK whose fields differ.
func newClient[C ~config](ctx context.Context, constructor func(context.Context, *C) (*messaging.Client, error),
	c config) (*messaging.Client, error) {
	configured := C(c)
	return constructor(ctx, &configured)
}
