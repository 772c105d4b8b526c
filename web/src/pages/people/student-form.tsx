// The fields of a student, as they are admitted and as they are changed later.
import { Stack, Text } from '@mantine/core'
import type { Schemas } from '../../api/client'
import { useClasses, useDivisions } from '../../api/queries'
import { type Draft, fieldsOf } from '../../patterns/record'
import { Photo } from './photo'

export const genders = [
  { value: 'FEMALE', label: 'Girl' },
  { value: 'MALE', label: 'Boy' },
  { value: 'OTHER', label: 'Other' },
]
export function useDivisionChoices() {
  const classes = useClasses()
  const divisions = useDivisions()
  return (classes.data ?? []).flatMap((c) =>
    (divisions.data ?? [])
      .filter((d) => d.classId === c.id)
      .map((d) => ({ value: d.id, label: `${c.name} ${d.name}` })),
  )
}

export const labels = {
  firstName: 'First name',
  lastName: 'Last name',
  photoFileId: 'Photo',
  admissionNumber: 'Admission number',
  admissionDate: 'Admitted on',
  gender: 'Gender',
  dateOfBirth: 'Born on',
  bloodGroup: 'Blood group',
  divisionId: 'Division',
  rollNumber: 'Roll number',
  enrolledFrom: 'In this division since',
  phone: 'Phone',
  email: 'E-mail',
  address: 'Address',
  previousSchool: 'Previous school',
  medicalNotes: 'Medical notes',
  allergies: 'Allergies',
  emergencyContactName: 'Emergency contact',
  emergencyContactPhone: 'Emergency phone',
} as const
export type StudentFields = { [K in keyof typeof labels]: string | null } & { rollNumber: number | null }

export const emptyFields: StudentFields = {
  firstName: '',
  lastName: '',
  photoFileId: null,
  admissionNumber: '',
  admissionDate: null,
  gender: null,
  dateOfBirth: null,
  bloodGroup: '',
  divisionId: null,
  rollNumber: null,
  enrolledFrom: null,
  phone: '',
  email: '',
  address: '',
  previousSchool: '',
  medicalNotes: '',
  allergies: '',
  emergencyContactName: '',
  emergencyContactPhone: '',
}

export function wire(f: Partial<StudentFields>): Schemas['StudentChange'] {
  const out: Record<string, unknown> = { ...f }
  if (out.gender === null) out.gender = ''
  return out as Schemas['StudentChange']
}

/** Who they are and where they sit. */
export function StudentBasics<T extends StudentFields>({ draft, create }: { draft: Draft<T>; create?: boolean }) {
  const f = fieldsOf(draft as unknown as Draft<StudentFields>)
  const choices = useDivisionChoices()
  return (
    <Stack gap={16}>
      <Photo draft={draft} />
      <div className="pair">
        {f.text({ k: 'firstName', label: labels.firstName, required: true })}
        {f.text({ k: 'lastName', label: labels.lastName })}
        {f.choice({ k: 'divisionId', label: labels.divisionId, data: choices, none: 'No class yet' })}
        {f.number({ k: 'rollNumber', label: labels.rollNumber, min: 1 })}
        {draft.values.divisionId &&
          f.day({
            k: 'enrolledFrom',
            label: labels.enrolledFrom,
            description: create ? 'Admission date unless given; without either, the start of the year' : undefined,
          })}
        {f.text({
          k: 'admissionNumber',
          label: labels.admissionNumber,
          placeholder: create ? 'Automatic' : undefined,
        })}
        {f.day({ k: 'admissionDate', label: labels.admissionDate })}
        {f.day({ k: 'dateOfBirth', label: labels.dateOfBirth })}
        {f.choice({ k: 'gender', label: labels.gender, data: genders, none: 'Not specified' })}
      </div>
    </Stack>
  )
}

/** How they are reached, and what to know when something happens. */
export function StudentMore<T extends StudentFields>({ draft }: { draft: Draft<T> }) {
  const f = fieldsOf(draft as unknown as Draft<StudentFields>)
  return (
    <Stack gap={16}>
      <Text className="section" mb={0}>
        Contact
      </Text>
      <div className="pair">
        {f.text({ k: 'phone', label: labels.phone, inputMode: 'tel' })}
        {f.text({ k: 'email', label: labels.email, inputMode: 'email' })}
      </div>
      {f.area({ k: 'address', label: labels.address })}
      <Text className="section" mb={0}>
        Health and emergencies
      </Text>
      <div className="pair">
        {f.text({ k: 'bloodGroup', label: labels.bloodGroup, maxLength: 5 })}
        {f.text({ k: 'allergies', label: labels.allergies })}
        {f.text({ k: 'emergencyContactName', label: labels.emergencyContactName })}
        {f.text({ k: 'emergencyContactPhone', label: labels.emergencyContactPhone, inputMode: 'tel' })}
      </div>
      {f.area({ k: 'medicalNotes', label: labels.medicalNotes })}
      {f.text({ k: 'previousSchool', label: labels.previousSchool })}
    </Stack>
  )
}
