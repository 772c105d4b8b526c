package notification

import (
	"github.com/google/uuid"

	"homeroom/api"
)

type deviceRequest struct {
	FCMToken string `json:"fcmToken" validate:"notblank,max=4096" doc:"The device's address at the push provider"`
	Platform string `json:"platform" validate:"omitempty,oneof=android ios web"`
}

// register makes the calling device the caller's. It gets notices as long as its session lives.
func (m *Module) register(c api.Ctx, r deviceRequest) (api.Nothing, error) {
	topics, err := topicsOf(c.DB, c.School.ID, []uuid.UUID{c.User.ID})
	if err != nil {
		return api.Nothing{}, err
	}
	return api.Nothing{}, m.Devices.Register(c, r.FCMToken, r.Platform, c.School.ID, c.User.ID, c.User.SessionID, topics[c.User.ID])
}
