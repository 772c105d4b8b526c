package delivery

import (
	"reflect"
	"strings"
)

// PushData is the data of a push message to a phone. Its fields are texts, as FCM wants them; what there is none of is empty.
type PushData struct {
	Type       string `json:"type" doc:"What it is about: one of the types below" enum:"ANNOUNCEMENT,ATTENDANCE,RESULT,FEE,LEAVE_REQUEST,MESSAGE,TRANSPORT,LIBRARY,TIMETABLE,EXAM,EVENT"`
	ID         string `json:"id" doc:"The record it is about; of a message its thread. Empty: none"`
	StudentID  string `json:"studentId" doc:"The student it is about. Empty: none, or a topic's message"`
	DeliveryID string `json:"deliveryId" doc:"The same if it comes twice, to the device and by a topic: show it once. It is also Android's tag and Apple's collapse id"`
}

// Texts is the data as FCM takes it.
func (d PushData) Texts() map[string]string {
	out := map[string]string{}
	v := reflect.ValueOf(d)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		out[name] = v.Field(i).String()
	}
	return out
}
