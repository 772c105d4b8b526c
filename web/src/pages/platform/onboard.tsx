import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { changed } from '../../api/queries'
import { rich, t } from '../../messages/console'
import { useAddress, useNextPage } from '../../patterns/address'
import { Trouble, UnsavedGuard } from '../../patterns/feedback'
import { KeptOffer, useKept } from '../../patterns/kept'
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
  { key: 'school', title: t('School') },
  { key: 'admin', title: t('First administrator') },
  { key: 'review', title: t('Review') },
  { key: 'progress', title: t('Set-up') },
]

const codePattern = /^[a-z0-9][a-z0-9-]{1,30}$/

const inSchool = ['name', 'code', 'timeZone', 'currency', 'locale']

/** Onboards a school. What was typed is kept in this browser and offered again; the school's id is in the address. */
export function Onboard() {
  const [address, setAddress] = useAddress()
  const [draft, setDraft] = useState<Draft>(blank)
  const dirty = JSON.stringify(draft) !== JSON.stringify(blank)
  const kept = useKept('onboard', dirty ? draft : undefined, blank, setDraft)
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
      need('name', 'name', t('The school needs a name'))
      need('code', 'code', t('A short code is needed'))
      if (draft.code && !codePattern.test(draft.code))
        missing.code = t('Use 2 to 31 small letters, digits and dashes, and begin with a letter or digit')
      need('currency', 'currency', t('Choose the currency of its fees'))
      need('timeZone', 'timeZone', t('Choose its time zone'))
    }
    if (step === 'admin') {
      need('firstName', 'admin.firstName', t('A first name is needed'))
      if (!/^\S+@\S+\.\S+$|^\S+@\S+$/.test(draft.email.trim()))
        missing['admin.email'] = t('An e-mail is needed: the invitation goes there')
    }
    setErrors(missing)
    if (Object.keys(missing).length === 0) setAddress({ step: to })
  }

  return (
    <Wizard title={t('Onboard a school')} steps={steps} current={step}>
      <div className="reading">
        <UnsavedGuard when={dirty && !make.isPending && !make.isSuccess} free={['step']} />
        {step !== 'progress' && <KeptOffer kept={kept} what={t('A part of this form was')} />}
        {make.error && step !== 'progress' && (
          <Stack mb={16}>
            <Trouble error={make.error} />
          </Stack>
        )}
        {step === 'school' && (
          <Stack gap={16}>
            <TextInput
              label={t('Name')}
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
              label={t('Code')}
              description={t('In addresses and file names: 2 to 31 small letters, digits and dashes')}
              value={draft.code}
              error={errors.code}
              onChange={(e) => set({ code: e.currentTarget.value.toLowerCase() })}
            />
            <div className="pair">
              <Select
                label={t('Time zone')}
                description={t('Days begin and end by it')}
                searchable
                data={zones}
                value={draft.timeZone}
                error={errors.timeZone}
                onChange={(v) => set({ timeZone: v ?? '' })}
              />
              <Select
                label={t('Currency')}
                description={t('Of fees and receipts')}
                searchable
                data={currencies}
                value={draft.currency || null}
                error={errors.currency}
                onChange={(v) => set({ currency: v ?? '' })}
              />
            </div>
            <TextInput
              label={t('Language and region')}
              description={t('How dates and money are written, such as en-IN or de-DE. Leave it empty for English.')}
              placeholder={t('en-IN')}
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
            <Text c="dimmed">{t('They are invited by e-mail, set a password, and do the rest for their school.')}</Text>
            <div className="pair">
              <TextInput
                label={t('First name')}
                value={draft.firstName}
                error={errors['admin.firstName']}
                autoFocus
                onChange={(e) => set({ firstName: e.currentTarget.value })}
              />
              <TextInput
                label={t('Last name')}
                value={draft.lastName}
                error={errors['admin.lastName']}
                onChange={(e) => set({ lastName: e.currentTarget.value })}
              />
            </div>
            <TextInput
              label={t('E-mail')}
              type="email"
              value={draft.email}
              error={errors['admin.email']}
              onChange={(e) => set({ email: e.currentTarget.value })}
            />
            <TextInput
              label={t('Phone')}
              description={t("Optional, with the country's prefix")}
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
              {rich(
                'A database schema is made for {name}, with roles and permissions. Then {email} gets an invitation that is good for seven days.',
                { name: <b>{draft.name}</b>, email: <b>{draft.email}</b> },
              )}
            </Text>
            <Facts
              of={[
                [t('Name'), draft.name],
                [t('Code'), draft.code],
                [t('Time zone'), draft.timeZone],
                [t('Currency'), draft.currency],
                [t('Language'), draft.locale || t('English')],
                [t('Administrator'), `${draft.firstName} ${draft.lastName}`],
                [t('E-mail'), draft.email],
                [t('Phone'), draft.phone],
              ]}
            />
            <WizardButtons
              back={() => setAddress({ step: 'admin' })}
              next={() => make.mutate()}
              busy={make.isPending}
              label={t('Onboard the school')}
            />
          </Stack>
        )}
        {step === 'progress' && (
          <Stack gap={24}>
            <Provisioning
              id={address.school!}
              onReady={(school) => {
                notifications.show({ message: t('The school is ready. The invitation is on its way.') })
                void go({ to: '/schools', search: { open: school.id } as never, replace: true })
              }}
            />
            <Group>
              <Button component={Link} to="/schools" variant="default">
                {t('To the schools')}
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
