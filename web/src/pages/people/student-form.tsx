// The fields of a student, as they are admitted and as they are changed later.
import { Stack, Text } from '@mantine/core'
import type { Schemas } from '../../api/client'
import { useClasses, useDivisions } from '../../api/queries'
import { t } from '../../messages/console'
import { type Draft, fieldsOf } from '../../patterns/record'
import { CustomPart, type CustomValues } from './custom-fields'
import { Photo } from './photo'

export const genders = [
  { value: 'FEMALE', label: t('Girl') },
  { value: 'MALE', label: t('Boy') },
  { value: 'OTHER', label: t('Other') },
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
  firstName: t('First name'),
  lastName: t('Last name'),
  photoFileId: t('Photo'),
  admissionNumber: t('Admission number'),
  admissionDate: t('Admitted on'),
  gender: t('Gender'),
  dateOfBirth: t('Born on'),
  bloodGroup: t('Blood group'),
  divisionId: t('Division'),
  rollNumber: t('Roll number'),
  enrolledFrom: t('In this division since'),
  phone: t('Phone'),
  email: t('E-mail'),
  address: t('Address'),
  previousSchool: t('Previous school'),
  medicalNotes: t('Medical notes'),
  allergies: t('Allergies'),
  emergencyContactName: t('Emergency contact'),
  emergencyContactPhone: t('Emergency phone'),
} as const
export type StudentFields = { [K in keyof typeof labels]: string | null } & {
  rollNumber: number | null
  customFields: CustomValues
}

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
  customFields: {},
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
        {f.choice({ k: 'divisionId', label: labels.divisionId, data: choices, none: t('No class yet') })}
        {f.number({ k: 'rollNumber', label: labels.rollNumber, min: 1 })}
        {draft.values.divisionId &&
          f.day({
            k: 'enrolledFrom',
            label: labels.enrolledFrom,
            description: create ? t('Admission date unless given; without either, the start of the year') : undefined,
          })}
        {f.text({
          k: 'admissionNumber',
          label: labels.admissionNumber,
          placeholder: create ? t('Automatic') : undefined,
        })}
        {f.day({ k: 'admissionDate', label: labels.admissionDate })}
        {f.day({ k: 'dateOfBirth', label: labels.dateOfBirth })}
        {f.choice({ k: 'gender', label: labels.gender, data: genders, none: t('Not specified') })}
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
        {t('Contact')}
      </Text>
      <div className="pair">
        {f.text({ k: 'phone', label: labels.phone, inputMode: 'tel' })}
        {f.text({ k: 'email', label: labels.email, inputMode: 'email' })}
      </div>
      {f.area({ k: 'address', label: labels.address })}
      <Text className="section" mb={0}>
        {t('Health and emergencies')}
      </Text>
      <div className="pair">
        {f.text({ k: 'bloodGroup', label: labels.bloodGroup, maxLength: 5 })}
        {f.text({ k: 'allergies', label: labels.allergies })}
        {f.text({ k: 'emergencyContactName', label: labels.emergencyContactName })}
        {f.text({ k: 'emergencyContactPhone', label: labels.emergencyContactPhone, inputMode: 'tel' })}
      </div>
      {f.area({ k: 'medicalNotes', label: labels.medicalNotes })}
      {f.text({ k: 'previousSchool', label: labels.previousSchool })}
      <CustomPart draft={draft} subject="STUDENT" heading />
    </Stack>
  )
}
