package notification

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		// Notices come first: a notice is locked while it is turned into messages, so that
		// its messages are there when their turn comes.
		{Table: "notice", Section: "notices", Of: "student_id user_id", Where: ofRecord("key"), Gone: true,
			Free: "title body teaser said_today said_next_day", About: map[string]string{"texts": "*"},
			Nothing: api.Reasons{api.FixedText: "type key"}},
		{Table: "notification", Section: "notifications", Of: "student_id user_id", Where: ofRecord("dedupe_key"), Gone: true,
			Free: "title body", Nothing: api.Reasons{api.FixedText: "type dedupe_key"}},
		{Table: "notification_preference", Section: "preferences", Of: "user_id", NoID: true, Gone: true,
			Nothing: api.Reasons{api.FixedText: "type"}},
		{Table: "child_preference", Section: "childPreferences", Of: "user_id student_id", NoID: true, Gone: true,
			Nothing: api.Reasons{api.FixedText: "type"}},
		{
			Table: "delivery", Section: "deliveries", Of: "user_id student_id", To: "recipient", Where: ofRecord("dedupe_key"),
			Free: "title body last_error",
			Set: map[string]string{"recipient": "'erased'", "dedupe_key": "'erased ' || x.id", "log_keys": "null",
				"last_error": "case when x.state = 'QUEUED' then 'Erased' else '' end",
				"state":      "case when x.state = 'QUEUED' then 'FAILED' else x.state end"},
			Nothing: api.Reasons{api.FixedText: "channel purpose type rule", "the provider's number of the message": "provider_id"},
		},
		{Table: "digest_entry", Section: "digests", Of: "user_id", Where: "split_part(x.key, '/', 2) in (select unnest(@records::text[]))",
			NoID: true, Gone: true, Nothing: api.Reasons{api.FixedText: "key way rule"}},
		{Table: "suppression", Section: "suppressions", To: "recipient", NoID: true, Gone: true, Own: "problem",
			Nothing: api.Reasons{api.FixedText: "channel reason"}},
		{Table: "notice_batch", By: "sent_by", Nothing: api.Reasons{api.FixedText: "kind"}},
		{Table: "notice_rule", Nothing: api.Reasons{api.FixedText: "type ways"}},
		{Table: "delivery_setting", By: "updated_by"},

		{Platform: true, Table: "device_token", School: "school_id", Section: "devices", Of: "user_id", NoID: true, Gone: true, Own: "topics",
			Hidden: "token", Nothing: api.Reasons{api.FixedText: "platform"}},
		{Platform: true, Table: "web_subscription", School: "school_id", Section: "browsers", Of: "user_id", Gone: true,
			Hidden: "endpoint p256dh auth"},
		{Platform: true, Table: "web_message",
			Nothing: api.Reasons{api.FixedText: "topic urgency state last_error", "encrypted for one browser, goes with its subscription": "body"}},
		{Platform: true, Table: "web_push_key", Nothing: api.Reasons{"the installation's own key": "sealed"}},
		{Platform: true, Table: "topic_removal", School: "school_id",
			Nothing: api.Reasons{"a phone's address at the push provider and what it is taken out of, until " +
				"that is done": "token topics last_error"}},
		// A code that is on its way to somebody who has an account elsewhere is still sent.
		{
			Platform: true, Table: "message", Section: "codes", To: "recipient", Gone: true, Own: "last_error provider_id", Hidden: "sealed",
			Unless:  "x.state = 'QUEUED' and exists (select from account a where a.phone = x.recipient or lower(a.email) = lower(x.recipient))",
			Nothing: api.Reasons{api.FixedText: "channel state"},
		},
		{Platform: true, Table: "dead_letter", School: "school_id", Section: "undelivered", To: "recipient", Gone: true, Own: "last_error",
			Nothing: api.Reasons{api.FixedText: "channel type"}},
	}
}

// ofRecord finds what others were told of a person's records: the record is named, or is
// what the key begins with ("message/…").
func ofRecord(key string) string {
	return "x.record_id::text in (select unnest(@records::text[])) or split_part(x." + key + ", '/', 2) in (select unnest(@records::text[]))"
}
