package notification

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"homeroom/api"
	"homeroom/modules/roster"
)

// DeliverySetting is how the school tells people things: a part of its settings, with
// their version.
type DeliverySetting struct {
	DeliverySettingFields
	Version   int        `json:"version"`
	UpdatedBy *uuid.UUID `json:"updatedBy"`
	UpdatedAt time.Time  `json:"updatedAt"`
}

// TableName is the record's table.
func (DeliverySetting) TableName() string { return "school_setting" }

// DeliverySettingFields are what an administrator sets.
type DeliverySettingFields struct {
	QuietFrom     roster.Clock `json:"quietFrom" doc:"From then on only what is urgent goes out: accidents, missing children, urgent announcements, a bus trip under way, a change of what begins within 24 hours. Empty: there are no quiet hours"`
	QuietTo       roster.Clock `json:"quietTo" doc:"What waited goes out then, unless it is of no use any more"`
	SMSPrice      int64        `json:"smsPrice" gorm:"column:sms_price" validate:"min=0,max=100000" doc:"Of one segment, in minor units of the school's currency; previews say what a dispatch costs"`
	SMSDailyLimit int          `json:"smsDailyLimit" gorm:"column:sms_daily_limit" validate:"min=0,max=1000000" doc:"Segments a day; more is refused"`
	WhatsAppPrice int64        `json:"whatsAppPrice" gorm:"column:whatsapp_price" validate:"min=0,max=100000" doc:"Of one message by WhatsApp, in minor units of the school's currency"`
	// WhatsAppDailyLimit counts messages: a template has no segments.
	WhatsAppDailyLimit int          `json:"whatsAppDailyLimit" gorm:"column:whatsapp_daily_limit" validate:"min=0,max=1000000" doc:"Messages by WhatsApp a day; more is refused"`
	DigestAt           roster.Clock `json:"digestAt" doc:"When what can wait is sent, as one message to each person; which kinds can is a rule of each. Empty: there are no digests, everything is sent at once"`
}

type deliverySettingChange struct {
	api.Change[DeliverySettingFields]
}

func getSetting(c api.Ctx, _ api.Nothing) (DeliverySetting, error) { return readSetting(c.DB) }

func readSetting(db *gorm.DB) (DeliverySetting, error) {
	var s DeliverySetting
	if err := db.Take(&s).Error; err != nil {
		return s, fmt.Errorf("reading the delivery settings: %w", err)
	}
	return s, nil
}

func putSetting(c api.Ctx, r deliverySettingChange) (DeliverySetting, error) {
	s, err := readSetting(c.DB.Clauses(clause.Locking{Strength: "UPDATE"}))
	if err != nil {
		return s, err
	}
	if v := c.SentVersion(); v != nil && *v != s.Version {
		return s, api.Conflict("The settings were changed by someone else: they are at version %d, you have %d", s.Version, *v)
	}
	before := s
	if err := r.Apply(&s.DeliverySettingFields); err != nil {
		return s, err
	}
	if s == before {
		c.Unchanged()
		return s, nil
	}
	s.Version, s.UpdatedBy, s.UpdatedAt = s.Version+1, &c.User.ID, c.Now
	if err := c.DB.Select("*").Where("id").Updates(&s).Error; err != nil {
		return s, fmt.Errorf("changing the delivery settings: %w", err)
	}
	c.Changed("update", "setting", c.School.ID, before, s)
	return s, nil
}
