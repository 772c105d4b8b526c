package roster

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"homeroom/api"
)

// searchText is what a student is found by: name, admission number, phone, and their
// guardians' phones and names.
func (s *Student) searchText(guardians ...string) string {
	return api.Fold(append([]string{s.FirstName, s.LastName, s.AdmissionNumber, string(s.Phone)}, guardians...)...)
}

// RefreshSearch writes the search texts of students anew, after their guardians changed.
func RefreshSearch(c api.Ctx, students []uuid.UUID) error {
	if len(students) == 0 {
		return nil
	}
	var found []struct {
		Student
		Guardians string
	}
	err := c.DB.Raw(`
		select s.id, s.first_name, s.last_name, s.admission_number, s.phone,
			coalesce((select
			string_agg(concat_ws(' ', g.phone, g.first_name, g.last_name), ' ' order by sg.created_at, g.phone) from student_guardian sg
			join guardian g on g.id = sg.guardian_id where sg.student_id = s.id), '') as guardians
		from student s where s.id in ? order by s.id`, students).Scan(&found).Error
	if err != nil {
		return fmt.Errorf("reading what students are found by: %w", err)
	}
	type text struct {
		ID   uuid.UUID `json:"id"`
		Text string    `json:"text"`
	}
	texts := make([]text, len(found))
	for i := range found {
		texts[i] = text{found[i].ID, found[i].searchText(found[i].Guardians)}
	}
	raw, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	err = c.DB.Exec(`update student s set search_text = t.text from jsonb_to_recordset(?::jsonb) as t(id uuid, text text) where s.id = t.id`,
		string(raw)).Error
	if err != nil {
		return fmt.Errorf("writing what students are found by: %w", err)
	}
	return nil
}
