import { type FormEvent, useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { problemText } from '../problem'
import { useRead } from '../read'
import { go } from '../route'
import { drafts } from '../store'
import { Button, Card, Empty, Field, Line, Page, Shown, Status } from '../ui'
import { useHold } from '../update'
import { placeOf, useClasses } from './lessons'

type Student = Schemas['StudentRemark']

const path = '/teacher/result/remarks'
const useRemarks = () => useRead([path], () => call(api.GET(path)))

/** What is typed and not saved, and the version of the remark that it was typed over. */
interface Draft {
  text: string
  version: number
}
const draftOf = (student: string) => `remark.${student}`

/** The remarks on this year's report cards of the students whose class teacher this is. */
export function Remarks() {
  const read = useRemarks()
  const classes = useClasses()
  return (
    <Page title={t('remarks.title')} back="/more">
      <p className="note">{t('remarks.what')}</p>
      <Shown of={read} after={[classes]} lines={8} isEmpty={(d) => d.students.length === 0} empty="remarks.noClass">
        {({ students }) =>
          [...new Set(students.map((s) => s.divisionId))].map((division) => {
            const place = classes.data?.items.find((c) => c.divisionId === division)
            const sit = students.filter((s) => s.divisionId === division)
            return <Division key={division} name={place ? placeOf(place) : t('classes.mine')} students={sit} />
          })
        }
      </Shown>
    </Page>
  )
}

function Division({ name, students }: { name: string; students: Student[] }) {
  const missing = students.filter((s) => s.remark === '').length
  return (
    <Card label={name}>
      <div className="between">
        <h2>{name}</h2>
        <span className="note">{missing > 0 ? t('remarks.missing', { count: missing }) : t('remarks.all')}</span>
      </div>
      {students.map((s) => (
        <Line
          key={s.studentId}
          to={`/remarks/${s.studentId}`}
          title={nameOf(s)}
          note={
            <span className="two-lines">
              <bdi>{s.remark || t('remarks.none')}</bdi>
            </span>
          }
          end={drafts.recall<Draft>(draftOf(s.studentId)) && <Status tone="warn">{t('remarks.unsaved')}</Status>}
        />
      ))}
    </Card>
  )
}

/** The remark on one student's card. */
export function RemarkPage({ student }: { student: string }) {
  const read = useRemarks()
  return (
    <Page title={t('remarks.one')} back="/remarks">
      <Shown of={read} lines={5}>
        {({ students }) => {
          const at = students.findIndex((s) => s.studentId === student)
          const of = students[at]
          if (!of) return <Empty text={t('problem.notFound')} />
          const next = students.slice(at + 1).find((s) => s.divisionId === of.divisionId)
          return <RemarkForm key={student} of={of} next={next} />
        }}
      </Shown>
    </Page>
  )
}

function RemarkForm({ of, next }: { of: Student; next: Student | undefined }) {
  const { refetch } = useRemarks()
  const name = draftOf(of.studentId)
  const [draft, setDraft] = useState(() => drafts.recall<Draft>(name))
  const [error, setError] = useState('')
  const [isOverruled, setIsOverruled] = useState(false)
  const [busy, setBusy] = useState(false)
  useHold(draft !== undefined)
  const become = (now: Draft | undefined) => {
    setDraft(now)
    if (now) drafts.keep(name, now)
    else drafts.drop(name)
  }
  const type = (text: string) =>
    become(text === of.remark && !isOverruled ? undefined : { text, version: draft?.version ?? of.version })

  const save = async (e: FormEvent) => {
    e.preventDefault()
    if (!draft) return
    setBusy(true)
    setError('')
    try {
      const data = { studentId: of.studentId, remark: draft.text.trim(), version: draft.version }
      await call(api.PUT('/teacher/result/remark', { body: { data } }))
      become(undefined)
      changed(path)
      go(next ? `/remarks/${next.studentId}` : '/remarks', { replace: true })
      return
    } catch (e) {
      // What was written meanwhile is shown; saving again replaces it.
      const isStale = asProblem(e).status === 409
      const now = isStale ? (await refetch()).data?.students.find((s) => s.studentId === of.studentId) : undefined
      if (now) {
        setIsOverruled(true)
        become({ ...draft, version: now.version })
      }
      setError(isStale ? t('remarks.changed') : problemText(e))
    }
    setBusy(false)
  }

  return (
    <form className="form" onSubmit={(e) => void save(e)}>
      <h2>{nameOf(of)}</h2>
      {isOverruled && (
        <p className="pre" dir="auto">
          {t('remarks.nowSays', { remark: of.remark })}
        </p>
      )}
      <Field label={t('register.remark')} hint={t('remarks.hint')} error={error || undefined}>
        {(ids) => (
          <textarea
            {...ids}
            className="input"
            rows={6}
            maxLength={1000}
            dir="auto"
            value={draft?.text ?? of.remark}
            onChange={(e) => type(e.target.value)}
          />
        )}
      </Field>
      <Button look="main" type="submit" disabled={!draft} busy={busy}>
        {t(next ? 'remarks.saveNext' : 'remarks.save')}
      </Button>
      {next && (
        <Card>
          <Line to={`/remarks/${next.studentId}`} title={t('remarks.next', { name: nameOf(next) })} />
        </Card>
      )}
    </form>
  )
}
