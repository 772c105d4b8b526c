package service

import (
	"homeroom/api/openapi"
	"homeroom/delivery"
	"homeroom/modules/notification"
	"homeroom/notice"
)

// pushMessages is what push messages say and where they go, by the tables that send them.
func pushMessages() openapi.Push {
	p := openapi.Push{Data: delivery.PushData{}, Web: delivery.WebNotice{}, Kept: delivery.UsefulFor, Else: delivery.UsefulElse}
	for _, t := range notice.Types {
		p.Types = append(p.Types, openapi.PushType{Name: string(t.Type), Tells: t.Tells, Record: t.Record, Channel: t.Type.Channel()})
	}
	for _, t := range notification.Topics() {
		p.Topics = append(p.Topics, openapi.PushTopic(t))
	}
	return p
}
