import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { changed } from '../../api/queries'
import { useAddress, useNextPage } from '../../patterns/address'
import { Trouble } from '../../patterns/feedback'
import { Facts } from '../../patterns/record'
import { Wizard, WizardButtons } from '../../patterns/wizard'
import { Provisioning } from './provisioning'

// Browsers still call some zones by the names they had before.
const renamed: Record<string, string> = {
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Europe/Kiev': 'Europe/Kyiv',
}

function presentName(zone: string): string {
  return renamed[zone] ?? zone
}

const blank = {
  name: '',
  code: '',
  timeZone: presentName(Intl.DateTimeFormat().resolvedOptions().timeZone),
  currency: '',
  locale: '',
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
}
type Draft = typeof blank

const steps = [
  { key: 'school', title: 'School' },
  { key: 'admin', title: 'First administrator' },
  { key: 'review', title: 'Review' },
  { key: 'progress', title: 'Set-up' },
]

const codePattern = /^[a-z0-9][a-z0-9-]{1,30}$/

const inSchool = ['name', 'code', 'timeZone', 'currency', 'locale']

/** Onboards a school. What was typed and how far it is survive a reload; the school's id is in the address. */
export function Onboard() {
  const [address, setAddress] = useAddress()
  const [draft, setDraft] = useSessionStorage<Draft>({
    key: 'homeroom.onboard',
    defaultValue: blank,
    getInitialValueInEffect: false,
  })
  const [errors, setErrors] = useState<Record<string, string>>({})
  const go = useNavigate()
  useNextPage('/schools')
  const step = address.school ? 'progress' : steps.some((s) => s.key === address.step) ? address.step! : 'school'
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone').map(presentName).sort(), [])
  const currencies = useMemo(
    () =>
      Intl.supportedValuesOf('currency').map((c) => ({
        value: c,
        label: `${c} · ${new Intl.DisplayNames('en', { type: 'currency' }).of(c)}`,
      })),
    [],
  )

  const set = (c: Partial<Draft>) => {
    setDraft({ ...draft, ...c })
    setErrors({})
  }
  const make = useMutation({
    mutationFn: () =>
      call(
        api.POST('/super-admin/school/create', {
          body: {
            data: {
              name: draft.name.trim(),
              code: draft.code,
              timeZone: draft.timeZone,
              currency: draft.currency,
              locale: draft.locale || undefined,
              admin: {
                firstName: draft.firstName.trim(),
                lastName: draft.lastName.trim(),
                email: draft.email.trim(),
                phone: draft.phone || undefined,
              },
            },
          },
        }),
      ),
    onSuccess: (s) => {
      changed('/super-admin/school/')
      setDraft(blank)
      setAddress({ school: s.id, step: undefined })
    },
    onError: (e) => {
      const p = asProblem(e)
      const fields = { ...p.fields }
      if (p.code === 'DUPLICATE_ENTRY') fields.code = p.message
      setErrors(fields)
      if (Object.keys(fields).some((f) => inSchool.includes(f))) setAddress({ step: 'school' })
      else if (Object.keys(fields).some((f) => f.startsWith('admin.'))) setAddress({ step: 'admin' })
    },
  })
  const forward = (to: string) => {
    const missing: Record<string, string> = {}
    const need = (k: keyof Draft, as: string, what: string) => {
      if (!draft[k].trim()) missing[as] = what
    }
    if (step === 'school') {
      need('name', 'name', 'The school needs a name')
      need('code', 'code', 'A short code is needed')
      if (draft.code && !codePattern.test(draft.code))
        missing.code = 'Use 2 to 31 small letters, digits and dashes, and begin with a letter or digit'
      need('currency', 'currency', 'Choose the currency of its fees')
      need('timeZone', 'timeZone', 'Choose its time zone')
    }
    if (step === 'admin') {
      need('firstName', 'admin.firstName', 'A first name is needed')
      if (!/^\S+@\S+\.\S+$|^\S+@\S+$/.test(draft.email.trim()))
        missing['admin.email'] = 'An e-mail is needed: the invitation goes there'
    }
    setErrors(missing)
    if (Object.keys(missing).length === 0) setAddress({ step: to })
  }

  return (
    <Wizard title="Onboard a school" steps={steps} current={step}>
      <div className="reading">
        {make.error && step !== 'progress' && (
          <Stack mb={16}>
            <Trouble error={make.error} />
          </Stack>
        )}
        {step === 'school' && (
          <Stack gap={16}>
            <TextInput
              label="Name"
              value={draft.name}
              error={errors.name}
              autoFocus
              onChange={(e) =>
                set({
                  name: e.currentTarget.value,
                  ...(draft.code === slug(draft.name) ? { code: slug(e.currentTarget.value) } : {}),
                })
              }
            />
            <TextInput
              label="Code"
              description="In addresses and file names: 2 to 31 small letters, digits and dashes"
              value={draft.code}
              error={errors.code}
              onChange={(e) => set({ code: e.currentTarget.value.toLowerCase() })}
            />
            <div className="pair">
              <Select
                label="Time zone"
                description="Days begin and end by it"
                searchable
                data={zones}
                value={draft.timeZone}
                error={errors.timeZone}
                onChange={(v) => set({ timeZone: v ?? '' })}
              />
              <Select
                label="Currency"
                description="Of fees and receipts"
                searchable
                data={currencies}
                value={draft.currency || null}
                error={errors.currency}
                onChange={(v) => set({ currency: v ?? '' })}
              />
            </div>
            <TextInput
              label="Language and region"
              description="How dates and money are written, such as en-IN or de-DE. Leave it empty for English."
              placeholder="en-IN"
              value={draft.locale}
              error={errors.locale}
              onChange={(e) => set({ locale: e.currentTarget.value })}
              w={240}
            />
            <WizardButtons next={() => forward('admin')} />
          </Stack>
        )}
        {step === 'admin' && (
          <Stack gap={16}>
            <Text c="dimmed">They are invited by e-mail, set a password, and do the rest for their school.</Text>
            <div className="pair">
              <TextInput
                label="First name"
                value={draft.firstName}
                error={errors['admin.firstName']}
                autoFocus
                onChange={(e) => set({ firstName: e.currentTarget.value })}
              />
              <TextInput
                label="Last name"
                value={draft.lastName}
                error={errors['admin.lastName']}
                onChange={(e) => set({ lastName: e.currentTarget.value })}
              />
            </div>
            <TextInput
              label="E-mail"
              type="email"
              value={draft.email}
              error={errors['admin.email']}
              onChange={(e) => set({ email: e.currentTarget.value })}
            />
            <TextInput
              label="Phone"
              description="Optional, with the country's prefix"
              placeholder="+91 98 7654 3210"
              value={draft.phone}
              error={errors['admin.phone']}
              onChange={(e) => set({ phone: e.currentTarget.value })}
            />
            <WizardButtons back={() => setAddress({ step: 'school' })} next={() => forward('review')} />
          </Stack>
        )}
        {step === 'review' && (
          <Stack gap={24}>
            <Text>
              A database schema is made for <b>{draft.name}</b>, with roles and permissions. Then <b>{draft.email}</b>{' '}
              gets an invitation that is good for seven days.
            </Text>
            <Facts
              of={[
                ['Name', draft.name],
                ['Code', draft.code],
                ['Time zone', draft.timeZone],
                ['Currency', draft.currency],
                ['Language', draft.locale || 'English'],
                ['Administrator', `${draft.firstName} ${draft.lastName}`],
                ['E-mail', draft.email],
                ['Phone', draft.phone],
              ]}
            />
            <WizardButtons
              back={() => setAddress({ step: 'admin' })}
              next={() => make.mutate()}
              busy={make.isPending}
              label="Onboard the school"
            />
          </Stack>
        )}
        {step === 'progress' && (
          <Stack gap={24}>
            <Provisioning
              id={address.school!}
              onReady={(school) => {
                notifications.show({ message: 'The school is ready. The invitation is on its way.' })
                void go({ to: '/schools', search: { open: school.id } as never, replace: true })
              }}
            />
            <Group>
              <Button component={Link} to="/schools" variant="default">
                To the schools
              </Button>
            </Group>
          </Stack>
        )}
      </div>
    </Wizard>
  )
}

/** A code the service takes: of whole words, as many as fit into 31 characters. */
function slug(name: string): string {
  const words = name
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  let code = words.shift()?.slice(0, 31) ?? ''
  for (const word of words) {
    if (code.length + 1 + word.length > 31) break
    code += `-${word}`
  }
  return code
}
