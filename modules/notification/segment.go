package notification

import "strings"

// The GSM alphabet, as delivery counts with it: what it has, and what of that takes two
// places. A test compares the two.
const (
	gsmBasic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ " +
		"!\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	gsmExtra = "^{}\\[~]|€\f"
)

// inGSM are what delivery writes in an SMS otherwise, and how: signs of money, and isolates of names.
var inGSM = [][2]string{{"\u00a0", " "}, {"₹", "Rs "}, {"₦", "NGN "}, {"₱", "PHP "}, {"₪", "ILS "}, {"₩", "KRW "}, {"₴", "UAH "},
	{"₸", "KZT "}, {"₺", "TRY "}, {"₵", "GHS "}, {"৳", "BDT "}, {"฿", "THB "}, {"₫", "VND "}, {"\u2068", ""}, {"\u2069", ""}}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// InSegments are tables beside a message m with a title and a body: how many SMS it is,
// as sms.segments. The school's budget counts what waits by it. Of another channel it is one.
func InSegments(title, body string) string {
	text := `coalesce(nullif(` + title + `, '') || ': ', '') || ` + body
	for _, sign := range inGSM {
		text = `replace(` + text + `, ` + quoted(sign[0]) + `, ` + quoted(sign[1]) + `)`
	}
	return `lateral (select case when m.channel = 'SMS' then ` + text + ` else '' end as text) words,
		lateral (select translate(words.text, ` + quoted(gsmBasic+gsmExtra) + `, '') = '' as plain) alphabet,
		lateral (select length(words.text) + case
		when alphabet.plain then length(words.text) - length(translate(words.text, ` + quoted(gsmExtra) + `, ''))
			else length(regexp_replace(words.text, '[^\U00010000-\U0010ffff]', '', 'g')) end as n,
			case when alphabet.plain then 160 else 70 end as one, case when alphabet.plain then 153 else 67 end as each) places,
		lateral (select case when places.n <= places.one then 1 else (places.n + places.each - 1) / places.each end as segments) sms`
}
