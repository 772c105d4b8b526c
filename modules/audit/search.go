package audit

import "homeroom/api"

// search finds entries by who made them, by what they are about (as it is called now, or was
// called then; of a student also what is kept for them), by what was done, and by the reason.
// Each part is a condition that an index serves: names are turned into ids, and the kinds of
// records are read from the index that begins with them.
func (m *Module) search() api.Filter {
	named := `array(select n.id::text from (` + m.names + `) as n (id, name) where lower(n.name) like @q)`
	return api.SearchWordsWhere(`audit_words(action, reason, before, after) like @q
		or actor_id = any(array(select id from app_user where lower(first_name || ' ' || last_name) like @q))
		or entity_id = any(` + named + `)
		or coalesce(after, before) ->> 'studentId' = any(` + named + `)
		or entity = any(array(select k.entity from (` + kinds + `) as k where k.entity like @q))`)
}
