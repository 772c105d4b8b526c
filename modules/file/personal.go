package file

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{Table: "file_link", Where: "x.record_id::text in (select unnest(@records::text[]))", NoID: true, Gone: true,
			Nothing: api.Reasons{api.FixedText: "kind"}},
		// A file goes with the records it belongs to, unless others' records still show it.
		{
			Table: "file", Section: "files", Of: "uploaded_by",
			Where: "x.id::text in (select unnest(@records::text[])) or exists (select from file_link l where l.file_id = x.id and " +
				"l.record_id::text in (select unnest(@records::text[])))", Gone: true,
			Unless: "exists (select from file_link l where l.file_id = x.id) or exists (select from student s where s.photo_file_id = x.id) " +
				"or exists (select from employee e where e.photo_file_id = x.id) or exists (select from school_setting s where s.logo_file_id = x.id)",
			Free: "original_name", Bytes: "storage_key thumbnail_key", Own: "sha256", Nothing: api.Reasons{api.FixedText: "purpose content_type"},
		},
	}
}
