package setting

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{
			Table: "school_setting", By: "updated_by", Free: "evaluation_mode_reason fee_reminder_text principal_name",
			Nothing: api.Reasons{api.OwnText: "name address phone email website",
				api.FixedText: "admission_number_pattern time_zone locale currency late_fine_type pro_rata_by pass_rule rank_ties lock_screen " +
					"attendance_by incidents_to report_card_template leaving_certificate_template"},
		},
	}
}
