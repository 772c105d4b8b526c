package delivery

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"homeroom/tenancy"
)

// gsmExtra are the characters of the GSM alphabet that take two places.
const gsmExtra = "^{}\\[~]|€\f"

const gsmBasic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ " +
	"!\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"

var gsm = func() map[rune]int {
	places := map[rune]int{}
	for _, r := range gsmBasic {
		places[r] = 1
	}
	for _, r := range gsmExtra {
		places[r] = 2
	}
	return places
}()

// Segments is how many SMS a text is: 160 characters of the GSM alphabet or 70 of any
// other, and 153 or 67 each when it takes more than one.
func Segments(text string) int {
	places, plain := 0, true
	text = inGSM.Replace(text)
	for _, r := range text {
		n, known := gsm[r]
		plain = plain && known
		places += n
	}
	one, each := 160, 153
	if !plain {
		places, one, each = len(utf16.Encode([]rune(text))), 70, 67
	}
	if places <= one {
		return 1
	}
	return (places + each - 1) / each
}

// inGSM writes signs of money as the GSM alphabet can: one ₹ in an English text would double what it costs. What keeps the directions
// of words apart (notice) is left out: it counts as two characters, and old phones draw it as boxes.
var inGSM = strings.NewReplacer("\u00a0", " ", "₹", "Rs ", "₦", "NGN ", "₱", "PHP ", "₪", "ILS ", "₩", "KRW ", "₴", "UAH ", "₸", "KZT ",
	"₺", "TRY ", "₵", "GHS ", "৳", "BDT ", "฿", "THB ", "₫", "VND ", "\u2068", "", "\u2069", "")

// smsText is the text of a message as an SMS.
func smsText(m Message) string {
	if m.Title == "" {
		return inGSM.Replace(m.Body)
	}
	return inGSM.Replace(m.Title + ": " + m.Body)
}

const spendSchool = `insert into sms_day as s (day, segments)
	select $1, $2 from school_setting where $2 <= sms_daily_limit
	on conflict (day) do update set segments = s.segments + $2 where s.segments + $2 <= (select sms_daily_limit from school_setting)
	returning (select sms_daily_limit from school_setting)`

const spendWhatsApp = `insert into whatsapp_day as s (day, messages)
	select $1, 1 from school_setting where whatsapp_daily_limit > 0
	on conflict (day) do update set messages = s.messages + 1 where s.messages < (select whatsapp_daily_limit from school_setting)
	returning messages`

// chargeWhatsApp takes a message from the school's limit of the day. There is none for all schools together: Meta has its own.
func (q schoolQueue) chargeWhatsApp(day string) error {
	var spent []int
	err := tenancy.Pipeline(q.db, tenancy.Query{SQL: spendWhatsApp, Args: []any{day}, Scan: tenancy.Values(&spent)})
	if err != nil {
		return fmt.Errorf("spending on WhatsApp: %w", err)
	}
	if len(spent) == 0 {
		return Refused("the school's limit of messages by WhatsApp is used up for today")
	}
	return nil
}

// charge takes a message's segments from the school's budget of the day, and then from that
// of all schools. A school that is over its own takes nothing from the others.
func (q schoolQueue) charge(ctx context.Context, m Message) error {
	day := q.s.Clock().In(q.school.Location()).Format(time.DateOnly)
	if m.Channel == WhatsApp {
		return q.chargeWhatsApp(day)
	}
	n := Segments(smsText(m))
	var limits []int
	err := tenancy.Pipeline(q.db, tenancy.Query{SQL: spendSchool, Args: []any{day, n}, Scan: tenancy.Values(&limits)})
	if err != nil {
		return fmt.Errorf("spending on an SMS: %w", err)
	}
	if len(limits) == 0 {
		return Refused("the school's SMS budget of the day is used up")
	}
	ok, err := q.s.spend(ctx, n)
	if err == nil && ok {
		return nil
	}
	back := tenancy.Pipeline(q.db, tenancy.Query{SQL: `update sms_day set segments = segments - $2 where day = $1`, Args: []any{day, n}})
	if err != nil || back != nil {
		return fmt.Errorf("spending on an SMS: %w", firstOf(err, back))
	}
	return Refused("the SMS budget of all schools is used up for today")
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// spend takes segments from the budget of all schools together.
func (s *Sender) spend(ctx context.Context, n int) (bool, error) {
	limit := s.SMSLimit
	if limit == 0 {
		limit = 1 << 30
	}
	tag, err := s.Platform.Exec(ctx, `insert into platform.sms_day as s (day, segments) select $1::date, $2::int where $2 <= $3::int
		on conflict (day) do update set segments = s.segments + $2 where s.segments + $2 <= $3`, s.Clock().UTC().Format(time.DateOnly), n, limit)
	return err == nil && tag.RowsAffected() == 1, err
}

// charge counts a code or a link and refuses none: a user who gets no code cannot sign in,
// and how many codes a phone gets is limited by auth.
func (q platformQueue) charge(ctx context.Context, m Message) error {
	_, err := q.s.Platform.Exec(ctx, `insert into platform.sms_day as s (day, segments) values ($1::date, $2)
		on conflict (day) do update set segments = s.segments + $2`, q.s.Clock().UTC().Format(time.DateOnly), Segments(smsText(m)))
	return err
}
