import { Button, Chip, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, asProblem, call, openPaper, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { MoneyInput } from '../../patterns/money'
import { Picture } from '../../patterns/Picture'
import { type Draft, fieldsOf, SaveBar, useDraft, useSave } from '../../patterns/record'
import { SubNav } from '../../patterns/SubNav'
import { localOf, momentOf } from '../../patterns/zone'
import { settingPages } from './setting-pages'

const labels = {
  name: t('Name'),
  address: t('Address'),
  phone: t('Phone'),
  email: t('E-mail'),
  website: t('Website'),
  principalName: t('Principal'),
  logoFileId: t('Logo'),
  timeZone: t('Time zone'),
  locale: t('Language and region'),
  currency: t('Currency'),
  weekendDays: t('Days off'),
  firstDayOfWeek: t('The week begins on'),
  attendanceBy: t('Attendance is marked'),
  attendanceTeacherDays: t('Teachers may mark for'),
  attendanceCutOff: t('On the last day until'),
  attendanceNoticeDelayMinutes: t('Notify parents after'),
  incidentsTo: t('Incidents of buses are sent to'),
  lateFineType: t('Late fine'),
  lateFineAmount: t('Amount'),
  lateFineGraceDays: t('Days of grace'),
  lateFineMaxAmount: t('At most'),
  lateFineThreshold: t('No fine below'),
  feeReminderText: t('Reminder'),
  proRataBy: t('Who joins during the year pays for'),
  feeRoundTo: t('Rounded to'),
  passRule: t('A year is passed by'),
  passPercent: t('Lowest percentage'),
  graceMarks: t('Grace marks'),
  graceSubjects: t('Subjects with grace'),
  compartmentSubjects: t('May sit again'),
  rankTies: t('After two equal ranks'),
  reportCardTemplate: t('Report card'),
  leavingCertificateTemplate: t('Leaving certificate'),
  quietFrom: t('Quiet from'),
  quietTo: t('Quiet until'),
  noticePastDays: t('Notify of past days for'),
  lockScreen: t('On a locked phone'),
  substitutionsToClasses: t('Tell families of substitutions'),
  smsPrice: t('Price of an SMS'),
  smsDailyLimit: t('SMS a day'),
  whatsAppPrice: t('Price of a WhatsApp message'),
  whatsAppDailyLimit: t('WhatsApp messages a day'),
  digestAt: t('Digest at'),
  libraryStudentBooks: t('Books a student may have'),
  libraryStudentDays: t('For how many days'),
  libraryStudentRenewals: t('Renewals'),
  libraryEmployeeBooks: t('Books an employee may have'),
  libraryEmployeeDays: t('Days for an employee'),
  libraryEmployeeRenewals: t('Renewals of an employee'),
  libraryFinePerDay: t('Fine for a day'),
  libraryFineGraceDays: t('Days that are not fined'),
  libraryFineMaxAmount: t('Maximum fine'),
  admissionNumberPattern: t('Admission numbers'),
  secondFactorRequired: t('Second factor'),
  evaluationMode: t('Evaluation mode'),
  evaluationModeReason: t('Reason'),
  evaluationModeFrom: t('Begins'),
  evaluationModeUntil: t('Ends automatically'),
} as const
type Key = keyof typeof labels
type Fields = Pick<Schemas['Setting'], Key>
const keys = Object.keys(labels) as Key[]
const pick = (s: Schemas['Setting']) => Object.fromEntries(keys.map((k) => [k, s[k]])) as unknown as Fields
const read = () => call(api.GET('/school-admin/setting'))
const days = [t('Sunday'), t('Monday'), t('Tuesday'), t('Wednesday'), t('Thursday'), t('Friday'), t('Saturday')]

export function Settings() {
  const q = useQuery({ queryKey: ['/school-admin/setting'], queryFn: read })
  return (
    <div className="page">
      <SubNav label={t('Settings')} items={settingPages} />
      <Title order={1} mb={16}>
        {t('Settings')}
      </Title>
      <div className="reading">
        {q.data ? (
          <Form setting={q.data} />
        ) : q.error ? (
          <Trouble error={q.error} retry={() => void q.refetch()} />
        ) : (
          <Lines />
        )}
      </div>
    </div>
  )
}

/** A rule's description, and what holds in a school that chooses nothing. */
const byDefault = (value: string | number, more?: string) =>
  `${more ? `${more} ` : ''}${t('Default: {value}.', { value })}`

function Form({ setting }: { setting: Schemas['Setting'] }) {
  const may = useMay()
  const draft = useDraft<Fields>(pick(setting))
  const f = fieldsOf(draft)
  const v = draft.values
  const format = useFormat()
  const save = useSave({
    draft,
    labels,
    say: {
      weekendDays: (d) => d.map((n) => days[n]).join(', ') || t('none'),
      logoFileId: (id) => (id ? t('a picture') : t('none')),
    },
    version: setting.version,
    save: (c, version) =>
      call(api.PUT('/school-admin/setting', { body: { data: { ...c, version } as Schemas['SettingChange'] } })),
    reread: async () => {
      const now = await read()
      return { ...pick(now), version: now.version }
    },
    onSaved: () => changed('/school-admin/setting'),
  })
  const money = (
    k:
      | 'lateFineAmount'
      | 'lateFineMaxAmount'
      | 'lateFineThreshold'
      | 'feeRoundTo'
      | 'smsPrice'
      | 'whatsAppPrice'
      | 'libraryFinePerDay'
      | 'libraryFineMaxAmount',
    description?: string,
  ) => (
    <MoneyInput
      label={labels[k]}
      description={description}
      value={v[k]}
      error={draft.errors[k]}
      onChange={(n) => draft.set(k, n ?? (k === 'feeRoundTo' ? 1 : 0))}
    />
  )
  const whole = (k: Extract<Key, `library${string}`>, min: number, usual: number) =>
    f.number({ k, label: labels[k], min, description: byDefault(format.number(usual)) })
  const moment = (k: 'evaluationModeFrom' | 'evaluationModeUntil', description: string) => (
    <TextInput
      type="datetime-local"
      label={labels[k]}
      description={description}
      value={v[k] ? localOf(v[k], setting.timeZone) : ''}
      error={draft.errors[k]}
      onChange={(e) => draft.set(k, e.currentTarget.value ? momentOf(e.currentTarget.value, setting.timeZone) : null)}
    />
  )
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault()
        save.submit()
      }}
    >
      <Stack gap={24}>
        <Part title={t('The school')} note={t('On receipts, report cards and certificates, and in every app.')}>
          {f.text({ k: 'name', label: labels.name, maxLength: 120 })}
          <Picture
            id={draft.values.logoFileId}
            label={labels.logoFileId}
            purpose="LOGO"
            none={t('None yet: documents show the name only.')}
            error={draft.errors.logoFileId}
            set={may('setting', 'write') ? (id) => draft.set('logoFileId', id) : undefined}
            fail={(message) => draft.setErrors({ logoFileId: message })}
          />
          {f.area({ k: 'address', label: labels.address })}
          <div className="pair">
            {f.text({ k: 'phone', label: labels.phone, inputMode: 'tel' })}
            {f.text({ k: 'email', label: labels.email, inputMode: 'email' })}
          </div>
          <div className="pair">
            {f.text({ k: 'website', label: labels.website, placeholder: 'https://' })}
            {f.text({ k: 'principalName', label: labels.principalName })}
          </div>
        </Part>
        <Part title={t('Time and place')}>
          <div className="pair">
            {f.text({ k: 'timeZone', label: labels.timeZone, placeholder: 'Asia/Kolkata' })}
            {f.text({ k: 'locale', label: labels.locale, placeholder: t('en-IN') })}
          </div>
          <div className="pair">
            {f.text({
              k: 'currency',
              label: labels.currency,
              maxLength: 3,
              description: t('It stays once anything was charged.'),
            })}
            <NativeSelect
              label={labels.firstDayOfWeek}
              description={t('In calendars.')}
              value={String(v.firstDayOfWeek)}
              error={draft.errors.firstDayOfWeek}
              data={days.map((label, i) => ({ value: String(i), label }))}
              onChange={(e) => draft.set('firstDayOfWeek', Number(e.currentTarget.value))}
            />
          </div>
          <Weekend draft={draft} />
        </Part>
        <Part title={t('Attendance')}>
          {f.choice({
            k: 'attendanceBy',
            label: labels.attendanceBy,
            description: byDefault(
              t('By day'),
              t(
                'By period: the teacher of a lesson marks its register. A day follows from its lessons where nobody marks the day itself.',
              ),
            ),
            data: [
              { value: 'DAY', label: t('By day') },
              { value: 'PERIOD', label: t('By day and by period') },
            ],
          })}
          <div className="pair">
            {f.number({
              k: 'attendanceTeacherDays',
              label: labels.attendanceTeacherDays,
              description: byDefault(format.number(7), t('Days after the day itself. The office always may.')),
              min: 0,
              max: 60,
            })}
            {f.text({
              k: 'attendanceCutOff',
              label: labels.attendanceCutOff,
              type: 'time',
              description: byDefault(t('none'), t('Empty: until its end.')),
            })}
          </div>
          {f.number({
            k: 'attendanceNoticeDelayMinutes',
            label: labels.attendanceNoticeDelayMinutes,
            description: byDefault(
              format.number(0),
              t('Minutes in which a correction cancels the notice of an absence; 0 notifies parents at once.'),
            ),
            min: 0,
            max: 1440,
          })}
        </Part>
        <Part title={t('Fees')} note={t('The fine is for new fee structures that say none of their own.')}>
          <div className="pair">
            {f.choice({
              k: 'lateFineType',
              label: labels.lateFineType,
              description: byDefault(t('None')),
              data: [
                { value: 'NONE', label: t('None') },
                { value: 'FIXED', label: t('Once') },
                { value: 'PER_DAY', label: t('For every day') },
              ],
            })}
            {v.lateFineType !== 'NONE' && money('lateFineAmount', byDefault(format.money(0)))}
          </div>
          {v.lateFineType !== 'NONE' && (
            <div className="pair">
              {f.number({
                k: 'lateFineGraceDays',
                label: labels.lateFineGraceDays,
                description: byDefault(format.number(0)),
                min: 0,
                max: 366,
              })}
              {money('lateFineMaxAmount', byDefault(format.money(0), t('0 is no limit.')))}
            </div>
          )}
          {money(
            'lateFineThreshold',
            byDefault(
              format.money(0),
              t('Of all fee structures: an invoice with less open is not fined. 0 fines any amount.'),
            ),
          )}
          {f.area({
            k: 'feeReminderText',
            label: labels.feeReminderText,
            description: t(
              '{student}, {amount} (what is due) and {dueDate} are filled in; what is due later is added.',
            ),
          })}
          <div className="pair">
            {f.choice({
              k: 'proRataBy',
              label: labels.proRataBy,
              description: byDefault(t('The months that remain')),
              data: [
                { value: 'MONTHS', label: t('The months that remain') },
                { value: 'DAYS', label: t('The days that remain') },
              ],
            })}
            {money('feeRoundTo', byDefault(format.money(1), t('Of a part of the year.')))}
          </div>
        </Part>
        <Part title={t('Results')}>
          <div className="pair">
            {f.choice({
              k: 'passRule',
              label: labels.passRule,
              description: byDefault(t('Each main subject over the year')),
              data: [
                { value: 'SUBJECTS', label: t('Each main subject over the year') },
                { value: 'TOTAL', label: t('The total of the year') },
                { value: 'EXAMS', label: t('Every paper of every exam') },
              ],
            })}
            {f.number({
              k: 'passPercent',
              label: labels.passPercent,
              description: byDefault(format.number(0), t('0 goes by the pass marks of the papers.')),
              min: 0,
              max: 100,
            })}
          </div>
          <div className="pair">
            {f.number({
              k: 'graceMarks',
              label: labels.graceMarks,
              description: byDefault(format.number(0), t('Marks out of 100 that may be lacking; 0 is none.')),
              min: 0,
              max: 100,
            })}
            {f.number({
              k: 'graceSubjects',
              label: labels.graceSubjects,
              description: byDefault(format.number(1), t('At most.')),
              min: 1,
              max: 50,
            })}
            {f.number({
              k: 'compartmentSubjects',
              label: labels.compartmentSubjects,
              description: byDefault(
                format.number(0),
                t('Students who fail in at most this many subjects; 0 is nobody.'),
              ),
              min: 0,
              max: 50,
            })}
          </div>
          {f.choice({
            k: 'rankTies',
            label: labels.rankTies,
            description: byDefault(t('One rank is left out: 1, 2, 2, 4')),
            data: [
              { value: 'SKIP', label: t('One rank is left out: 1, 2, 2, 4') },
              { value: 'DENSE', label: t('No rank is left out: 1, 2, 2, 3') },
            ],
          })}
          {f.choice({
            k: 'reportCardTemplate',
            label: labels.reportCardTemplate,
            description: byDefault(t('Simple')),
            data: [
              { value: 'SIMPLE', label: t('Simple: marks of every exam, percentage and grade') },
              { value: 'CBSE', label: t('CBSE: scholastic and co-scholastic areas, grades by term') },
              { value: 'BRITISH', label: t('British: grades and comments, no marks or ranks') },
            ],
          })}
          <Group gap={8}>
            {(['SIMPLE', 'CBSE', 'BRITISH'] as const).map((template) => (
              <Button
                key={template}
                variant="default"
                size="xs"
                onClick={() =>
                  void openPaper(
                    '/school-admin/exam/report-card-sample',
                    { template },
                    `report-card-${template.toLowerCase()}.pdf`,
                  ).catch((e) => notifications.show({ color: 'red', message: asProblem(e).message }))
                }
              >
                {t('Preview {value}', {
                  value: template === 'CBSE' ? t('CBSE') : template === 'SIMPLE' ? t('simple') : t('British'),
                })}
              </Button>
            ))}
          </Group>
          {f.choice({
            k: 'leavingCertificateTemplate',
            label: labels.leavingCertificateTemplate,
            description: byDefault(t('Simple')),
            data: [
              { value: 'SIMPLE', label: t('Simple') },
              { value: 'CBSE', label: t('CBSE: transfer certificate with subjects studied and dues') },
              { value: 'BRITISH', label: t('British: dates and year group, no conduct') },
            ],
          })}
        </Part>
        <Part title={t('Notifications')}>
          {f.choice({
            k: 'incidentsTo',
            label: labels.incidentsTo,
            description: byDefault(
              t('Families of the riders, at once'),
              t(
                'A driver may report at six in the morning, when nobody is in the office. Office first: riders hear of it when the office tells them.',
              ),
            ),
            data: [
              { value: 'ALL', label: t('Families of the riders, at once') },
              { value: 'OFFICE', label: t('The office first') },
            ],
          })}
          <div className="pair">
            {f.text({
              k: 'quietFrom',
              label: labels.quietFrom,
              type: 'time',
              description: byDefault(
                '21:00',
                t(
                  'From then on only urgent notices are sent, and those of a bus trip under way or of what begins within 24 hours.',
                ),
              ),
            })}
            {f.text({
              k: 'quietTo',
              label: labels.quietTo,
              type: 'time',
              description: byDefault('07:00', t('Waiting messages are sent then.')),
            })}
          </div>
          {f.text({
            k: 'digestAt',
            label: labels.digestAt,
            type: 'time',
            description: byDefault(
              '18:00',
              t(
                'What can wait is sent then, in one message to each person: the kinds with “Digest” in the notification rules, library notices at first. Empty sends everything at once.',
              ),
            ),
          })}
          {f.choice({
            k: 'lockScreen',
            label: labels.lockScreen,
            description: byDefault(
              t('What it is about, without a name'),
              t('What a notification says before the phone is unlocked. SMS and e-mails say everything.'),
            ),
            data: [
              { value: 'NOTHING', label: t('Nothing: there is news, open the app') },
              { value: 'CHILD', label: t('What it is about, without a name') },
              { value: 'FULL', label: t('Everything, with the name of the child') },
            ],
          })}
          {f.yes({
            k: 'substitutionsToClasses',
            label: labels.substitutionsToClasses,
            description: byDefault(
              t('Off'),
              t('When another teacher holds a lesson, the teacher is notified; with this the students’ families too.'),
            ),
          })}
          {f.number({
            k: 'noticePastDays',
            label: labels.noticePastDays,
            description: byDefault(
              format.number(0),
              t(
                'Days after which absences and bus trips are only kept in the log; 0 notifies families on the day itself. Old registers are entered without messages.',
              ),
            ),
            min: 0,
            max: 366,
          })}
          <div className="pair">
            {money('smsPrice', byDefault(format.money(0), t('Of one segment; previews say what a message costs.')))}
            {f.number({
              k: 'smsDailyLimit',
              label: labels.smsDailyLimit,
              description: byDefault(format.number(2000), t('Segments; more is refused.')),
              min: 0,
            })}
            {money('whatsAppPrice', byDefault(format.money(0)))}
            {f.number({
              k: 'whatsAppDailyLimit',
              label: labels.whatsAppDailyLimit,
              description: byDefault(format.number(2000), t('More is refused.')),
              min: 0,
            })}
          </div>
        </Part>
        <Part title={t('Library')}>
          <div className="pair">
            {whole('libraryStudentBooks', 0, 3)}
            {whole('libraryStudentDays', 1, 14)}
            {whole('libraryStudentRenewals', 0, 1)}
          </div>
          <div className="pair">
            {whole('libraryEmployeeBooks', 0, 10)}
            {whole('libraryEmployeeDays', 1, 30)}
            {whole('libraryEmployeeRenewals', 0, 2)}
          </div>
          <div className="pair">
            {money('libraryFinePerDay', byDefault(format.money(0), t('On the student’s fee account; 0 is none.')))}
            {whole('libraryFineGraceDays', 0, 0)}
            {money('libraryFineMaxAmount', byDefault(format.money(0), t('0 is no limit.')))}
          </div>
        </Part>
        <Part title={t('Numbering and modes')}>
          {f.text({
            k: 'admissionNumberPattern',
            label: labels.admissionNumberPattern,
            description: byDefault(
              '{year}-{0000}',
              t('How new students are numbered: {year} or {yy} is the year of admission, {0000} the running number.'),
            ),
          })}
          {f.yes({
            k: 'secondFactorRequired',
            label: t('Administrators need a second factor'),
            description: t(
              'Who has none is asked to set one up at the next sign-in; sessions without one end within 15 minutes.',
            ),
            disabled: !may('setting', 'write'),
          })}
          {f.yes({
            k: 'evaluationMode',
            label: labels.evaluationMode,
            description: t('While it is on, teachers can read only, exams and results excepted.'),
            disabled: !may('setting', 'write'),
          })}
          {v.evaluationMode &&
            f.text({
              k: 'evaluationModeReason',
              label: labels.evaluationModeReason,
              description: t('Shown to teachers who are stopped by it.'),
            })}
          {v.evaluationMode && (
            <div className="pair">
              {moment('evaluationModeFrom', t('Empty: at once.'))}
              {moment('evaluationModeUntil', t('Empty: when somebody turns it off.'))}
            </div>
          )}
        </Part>
      </Stack>
      {may('setting', 'write') && <SaveBar draft={draft} {...save} submit={() => undefined} />}
      {save.conflict}
    </form>
  )
}

function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section className="panel" aria-label={title}>
      <Stack p={16} gap={16}>
        <div>
          <Title order={2}>{title}</Title>
          {note && (
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </section>
  )
}

function Weekend({ draft }: { draft: Draft<Fields> }) {
  return (
    <div role="group" aria-label={labels.weekendDays}>
      <Text size="sm" fw={600} mb={4}>
        {labels.weekendDays}
      </Text>
      <Chip.Group
        multiple
        value={draft.values.weekendDays.map(String)}
        onChange={(v) => draft.set('weekendDays', v.map(Number).sort())}
      >
        <Group gap={8}>
          {days.map((d, i) => (
            <Chip key={d} value={String(i)} radius={8}>
              {d.slice(0, 3)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Text size="xs" c={draft.errors.weekendDays ? 'red' : 'dimmed'} mt={4}>
        {draft.errors.weekendDays ?? t('From today on; what was marked before stays.')}
      </Text>
    </div>
  )
}
