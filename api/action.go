package api

// Action is what a row does to a module's records. Permissions and limits go by it.
type Action string

const (
	Read   Action = "read"
	Write  Action = "write"
	Delete Action = "delete"
)

// RoleType is the kind of user a token speaks for.
type RoleType string

const (
	SchoolAdmin RoleType = "SCHOOL_ADMIN"
	SuperAdmin  RoleType = "SUPER_ADMIN"
	Teacher     RoleType = "TEACHER"
	Parent      RoleType = "PARENT"
	Driver      RoleType = "DRIVER"

	// KeyRole is the type of an API key's own role, in its school's records and the audit log. No
	// person holds one; a key calls the office's rows, as SchoolAdmin.
	KeyRole RoleType = "KEY"
)

// JSONSchema names the roles a token may carry.
func (RoleType) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "enum": []any{string(SchoolAdmin), string(SuperAdmin), string(Teacher), string(Parent),
		string(Driver)}}
}

// prefixRoles says which role each client's path prefix wants.
var prefixRoles = map[string]RoleType{
	"parent":       Parent,
	"teacher":      Teacher,
	"driver":       Driver,
	"school-admin": SchoolAdmin,
	"super-admin":  SuperAdmin,
}
