package roster

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"homeroom/api"
)

// Student is one child of the school. Where they sit is said by their enrolments.
type Student struct {
	api.Record
	StudentFields
	Status        string     `json:"status" enum:"ACTIVE,TRANSFERRED,GRADUATED,WITHDRAWN"`
	LeavingDate   *api.Date  `json:"leavingDate"`
	LeavingReason string     `json:"leavingReason"`
	LeavingStatus *string    `json:"leavingStatus" enum:"TRANSFERRED,GRADUATED,WITHDRAWN" doc:"What they become after leavingDate, where that is settled and yet to come"`
	SearchText    string     `json:"-"`
	DeletedAt     *time.Time `json:"-"`
}

// StudentFields are what the office says of a student.
type StudentFields struct {
	FirstName             string          `json:"firstName" validate:"name,max=100" example:"Asha"`
	LastName              string          `json:"lastName" validate:"omitempty,name,max=100" example:"Rao"`
	AdmissionNumber       string          `json:"admissionNumber" validate:"max=40" doc:"Given by the school, or numbered by its pattern"`
	ClassID               *uuid.UUID      `json:"classId" doc:"The class they are admitted to"`
	Gender                string          `json:"gender" validate:"omitempty,oneof=FEMALE MALE OTHER"`
	DateOfBirth           *api.Date       `json:"dateOfBirth"`
	BloodGroup            string          `json:"bloodGroup" validate:"max=5"`
	Address               string          `json:"address" validate:"max=500"`
	Phone                 api.Phone       `json:"phone" validate:"max=20"`
	Email                 string          `json:"email" validate:"omitempty,email,max=254"`
	PhotoFileID           *uuid.UUID      `json:"photoFileId"`
	AdmissionDate         *api.Date       `json:"admissionDate" doc:"The first day of their enrolment unless given, or today without one"`
	PreviousSchool        string          `json:"previousSchool" validate:"max=200"`
	MedicalNotes          string          `json:"medicalNotes" validate:"max=2000"`
	Allergies             string          `json:"allergies" validate:"max=500"`
	EmergencyContactName  string          `json:"emergencyContactName" validate:"omitempty,name,max=100"`
	EmergencyContactPhone api.Phone       `json:"emergencyContactPhone" validate:"max=20"`
	CustomFields          json.RawMessage `json:"customFields" members:"any" doc:"By the keys of the school's custom fields; in a change null clears a value, and those not named stay"`
}

// Enrolment says that a student sits in a division from one day to another, the last
// one included. An open one has no last day yet.
type Enrolment struct {
	api.Record
	StudentID      uuid.UUID  `json:"studentId"`
	AcademicYearID uuid.UUID  `json:"academicYearId"`
	ClassID        uuid.UUID  `json:"classId"`
	DivisionID     uuid.UUID  `json:"divisionId"`
	RollNumber     *int       `json:"rollNumber"`
	StartDate      api.Date   `json:"startDate"`
	EndDate        *api.Date  `json:"endDate"`
	Outcome        *string    `json:"outcome"`
	PromotionID    *uuid.UUID `json:"-"`
}

// Guardian is someone who answers for students. Siblings share one.
type Guardian struct {
	api.Record
	GuardianFields
	UserID uuid.UUID `json:"userId"`
}

// GuardianFields are what the office says of a guardian.
type GuardianFields struct {
	FirstName    string          `json:"firstName" validate:"name,max=100"`
	LastName     string          `json:"lastName" validate:"omitempty,name,max=100"`
	Phone        api.Phone       `json:"phone" validate:"required,max=20"`
	Email        string          `json:"email" validate:"omitempty,email,max=254"`
	Occupation   string          `json:"occupation" validate:"max=100"`
	CustomFields json.RawMessage `json:"customFields" members:"any" doc:"By the keys of the school's custom fields; in a change null clears a value, and those not named stay"`
}

// StudentGuardian says what a guardian is to a student, and what they may do.
type StudentGuardian struct {
	api.Record
	StudentID  uuid.UUID `json:"studentId"`
	GuardianID uuid.UUID `json:"guardianId"`
	LinkFields
}

// LinkFields are what the office says of the tie between the two.
type LinkFields struct {
	Relation    string `json:"relation" validate:"required,oneof=FATHER MOTHER GUARDIAN OTHER"`
	IsPrimary   bool   `json:"isPrimary"`
	HasCustody  bool   `json:"hasCustody"`
	CanViewData bool   `json:"canViewData" doc:"May see the student's data in the app"`
	CanPickUp   bool   `json:"canPickUp"`
	IsFeePayer  bool   `json:"isFeePayer"`
}
