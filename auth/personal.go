package auth

import "homeroom/api"

// personal declares what the tables keep of people.
func personal() []api.PersonalTable {
	return []api.PersonalTable{
		{
			Table: "app_user", Section: "account", Of: "id", Contact: "phone email", Hidden: "password_hash pin_hash",
			Set: map[string]string{"first_name": "@first", "last_name": "@last", "phone": "null", "email": "null", "password_hash": "null",
				"pin_hash": "null",
				"status":   "'DISABLED'", "version": "x.version + 1", "updated_at": "@now"},
			Nothing: api.Reasons{api.FixedText: "language"},
		},

		{Platform: true, Table: "session", Section: "sessions", Where: ofAccount, Gone: true,
			Own: "account_id revoke_reason method device ip proven_phone proven_by", Hidden: "token_hash previous_token_hash sibling_hashes"},
		{Platform: true, Table: "password_link", Section: "passwordLinks", Where: ofAccount, NoID: true, Gone: true, Own: "account_id",
			Hidden: "token_hash", Nothing: api.Reasons{api.FixedText: "purpose"}},
		{Platform: true, Table: "totp", Section: "authenticatorApps", Where: ofAccount, NoID: true, Gone: true, Own: "account_id",
			Hidden: "secret"},
		{Platform: true, Table: "recovery_code", Section: "recoveryCodes", Where: ofAccount, NoID: true, Gone: true, Own: "account_id",
			Hidden: "code_hash"},
		{Platform: true, Table: "passkey", Section: "passkeys", Where: ofAccount, Gone: true, Own: "account_id name",
			Hidden: "credential_id credential"},
		{Platform: true, Table: "sign_in_secret", NoID: true, Hidden: "sealed"},
		{Platform: true, Table: "account", School: "school_id", Section: "directory", Of: "user_id", Gone: true, Own: "phone email name",
			Nothing: api.Reasons{api.FixedText: "role_type"}},
		{Platform: true, Table: "super_admin", Nothing: api.Reasons{api.Operator: "email name password_hash status"}},
	}
}

// ofAccount selects the rows that belong to a user's entry in the directory.
const ofAccount = "x.account_id in (select a.id from account a where a.user_id = any(@ids) and a.school_id = @school)"
