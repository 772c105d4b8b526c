package notice

import (
	"fmt"

	"homeroom/api"
)

// SMSBudget is what an SMS costs the school, and how many it may still send today.
type SMSBudget struct {
	Price       int64 // of a segment, in minor units; 0: it was not set
	Limit, Left int   // segments
	// WhatsAppPrice is that of a message by WhatsApp; 0: it was not set.
	WhatsAppPrice               int64
	WhatsAppLimit, WhatsAppLeft int // messages
}

// ReadSMSBudget locks the school's setting, so that two calls do not spend the same budget, and counts what was sent today and
// what waits to be. A message that is on its way this moment may count twice: better one call refused than one unpaid.
func ReadSMSBudget(c api.Ctx) (SMSBudget, error) {
	var s struct {
		SMSPrice      int64 `gorm:"column:sms_price"`
		SMSDailyLimit int   `gorm:"column:sms_daily_limit"`
		WhatsAppPrice int64 `gorm:"column:whatsapp_price"`
		WhatsAppLimit int   `gorm:"column:whatsapp_daily_limit"`
	}
	err := c.DB.Raw(`select sms_price, sms_daily_limit, whatsapp_price, whatsapp_daily_limit
		from school_setting for no key update`).Scan(&s).Error
	if err != nil {
		return SMSBudget{}, fmt.Errorf("reading the SMS budget: %w", err)
	}
	var spent struct{ SMS, WhatsApp int }
	err = c.DB.Raw(`select coalesce((select segments from sms_day where day = @day), 0) +
		coalesce((select sum(segments) from delivery where channel = 'SMS' and state = 'QUEUED'), 0) as sms,
		coalesce((select messages from whatsapp_day where day = @day), 0) +
		(select count(*) from delivery where channel = 'WHATSAPP' and state = 'QUEUED') as whats_app`,
		map[string]any{"day": c.Today()}).Scan(&spent).Error
	if err != nil {
		return SMSBudget{}, fmt.Errorf("reading the SMS budget: %w", err)
	}
	return SMSBudget{Price: s.SMSPrice, Limit: s.SMSDailyLimit, Left: s.SMSDailyLimit - spent.SMS, WhatsAppPrice: s.WhatsAppPrice,
		WhatsAppLimit: s.WhatsAppLimit, WhatsAppLeft: s.WhatsAppLimit - spent.WhatsApp}, nil
}

// Refuse refuses what takes more segments than are left.
func (b SMSBudget) Refuse(segments int) error {
	if segments <= b.Left {
		return nil
	}
	return api.Conflict("This takes %d SMS and %d are left of today's budget of %d", segments, max(0, b.Left), b.Limit)
}

// RefuseWhatsApp refuses more messages by WhatsApp than are left.
func (b SMSBudget) RefuseWhatsApp(messages int) error {
	if messages <= b.WhatsAppLeft {
		return nil
	}
	return api.Conflict("This takes %d messages by WhatsApp and %d are left of today's %d", messages, max(0, b.WhatsAppLeft), b.WhatsAppLimit)
}
