package rbac

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"homeroom/api"
	"homeroom/tenancy"
)

// rightSet is what a role may do: each is an action in a module.
type rightSet map[moduleRight]bool

type moduleRight struct {
	module string
	action api.Action
}

func (s rightSet) add(module string, read, write, del bool) {
	for action, granted := range map[api.Action]bool{api.Read: read, api.Write: write, api.Delete: del} {
		if granted {
			s[moduleRight{module, action}] = true
		}
	}
}

// roleRights is a role and its rights, as read in the caller's transaction: a cached policy may
// be a moment old.
type roleRights struct {
	id     uuid.UUID
	kind   api.RoleType
	system bool
	rights rightSet
}

// ownsSchool reports whether it is the system's own administrator role. It counts as having every
// right, even those removed from it: otherwise nobody could give back a right that no role has.
func (h roleRights) ownsSchool() bool { return h.system && h.kind == api.SchoolAdmin }

// CheckGrant refuses to give away roles that may do more than the caller.
//
// A SCHOOL_ADMIN role is given, and an administrator's account changed, only by those who may
// write permissions. The rights of the system's own role of a teacher, parent or driver are
// exempt: an office adds teachers without the right to mark attendance. Every further right the
// caller must have.
func (r *RBAC) CheckGrant(c api.Ctx, roles ...uuid.UUID) error {
	roles = slices.DeleteFunc(slices.Clone(roles), func(id uuid.UUID) bool { return id == uuid.Nil })
	if len(roles) == 0 {
		return nil
	}
	caller, all, err := readRoleRights(c, roles)
	if err != nil {
		return err
	}
	for _, given := range all {
		if !slices.Contains(roles, given.id) {
			continue
		}
		var base rightSet
		if given.kind != api.SchoolAdmin {
			base = systemRights(all, given.kind)
		} else if !caller.has(moduleRight{"permission", api.Write}) {
			return api.Denied("An administrator's role and account can be changed only by those who may write permissions")
		} else if err := c.NeedFresh(); err != nil {
			return err
		}
		if err := caller.covers(given, base); err != nil {
			return err
		}
	}
	return nil
}

// CheckRights refuses to give rights that the caller lacks.
func (r *RBAC) CheckRights(c api.Ctx, rights map[string]api.Granted) error {
	added := rightSet{}
	for module, g := range rights {
		added.add(module, g.CanRead, g.CanWrite, g.CanDelete)
	}
	return checkAdded(c, added)
}

// checkAdded refuses to add rights to a role that the caller lacks.
func checkAdded(c api.Ctx, added rightSet) error {
	caller, _, err := readRoleRights(c, nil)
	if err != nil {
		return err
	}
	return caller.covers(roleRights{rights: added}, nil)
}

// readRoleRights reads the caller's role, these, and the system's own. An API key has no rights
// that its maker lacks.
func readRoleRights(c api.Ctx, roles []uuid.UUID) (caller roleRights, all []roleRights, err error) {
	if key := c.User.Key; key != nil {
		roles = append(slices.Clone(roles), key.MakerRoleID)
		defer func() {
			for _, maker := range all {
				if maker.id == key.MakerRoleID {
					maps.DeleteFunc(caller.rights, func(r moduleRight, _ bool) bool { return !maker.has(r) })
				}
			}
		}()
	}
	var rows []struct {
		ID                           uuid.UUID
		Type                         api.RoleType
		System, Own                  bool
		Module                       string
		CanRead, CanWrite, CanDelete bool
	}
	err = tenancy.Pipeline(c.DB, tenancy.Query{SQL: `select r.id, r.type, r.system, r.id = u.role_id as own, coalesce(m.name, '') as module,
			coalesce(p.can_read, false) as can_read, coalesce(p.can_write, false) as can_write, coalesce(p.can_delete, false) as can_delete
		from app_user u join role r on r.id = u.role_id or r.system or r.id = any($2::uuid[])
		left join permission p on p.role_id = r.id left join module m on m.id = p.module_id
		where u.id = $1 order by r.id`, Args: []any{c.User.ID, append([]uuid.UUID{}, roles...)}, Scan: tenancy.Collect(&rows)})
	if err != nil {
		return caller, nil, fmt.Errorf("reading what the caller may give: %w", err)
	}
	for _, row := range rows {
		if len(all) == 0 || all[len(all)-1].id != row.ID {
			all = append(all, roleRights{row.ID, row.Type, row.System, rightSet{}})
		}
		of := all[len(all)-1]
		owner := of.ownsSchool()
		of.rights.add(row.Module, owner || row.CanRead, owner || row.CanWrite, owner || row.CanDelete)
		if row.Own {
			caller = of // the map is shared, and still being filled
		}
	}
	return caller, all, nil
}

func systemRights(all []roleRights, kind api.RoleType) rightSet {
	for _, h := range all {
		if h.system && h.kind == kind {
			return h.rights
		}
	}
	return nil
}

func (h roleRights) has(r moduleRight) bool { return h.ownsSchool() || h.rights[r] }

// covers refuses a role that may do more than this one, base apart.
func (h roleRights) covers(given roleRights, base rightSet) error {
	if h.ownsSchool() {
		return nil
	}
	var lacking []string
	for r := range given.rights {
		if !base[r] && !h.rights[r] {
			lacking = append(lacking, fmt.Sprintf("%s in %s", r.action, r.module))
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	slices.Sort(lacking)
	if more := len(lacking) - 3; more > 0 {
		lacking = append(lacking[:3], fmt.Sprintf("and %d more", more))
	}
	return api.Denied("You cannot give rights that your role does not have: " + strings.Join(lacking, ", "))
}
