import { IconPhone } from '@tabler/icons-react'
import { api, call, type Schemas } from '../../api/client'
import { joined, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { Picture } from '../picture'
import { useRead } from '../read'
import { relationOf } from '../relation'
import { Card, Line, Page, Shown } from '../ui'
import { placeOf, useClasses } from './lessons'

/** The classes the teacher teaches this year. */
export function Classes() {
  const classes = useClasses()
  return (
    <Page title={t('nav.classes')}>
      <Shown of={classes} isEmpty={(d) => d.items.length === 0} empty="classes.none">
        {({ items }) => (
          <Card label={t('nav.classes')}>
            {items.map((c) => (
              <Line
                key={c.divisionId}
                to={`/classes/${c.divisionId}`}
                title={placeOf(c)}
                note={joined([c.isClassTeacher && t('classes.mine'), t('classes.students', { count: c.studentCount })])}
              />
            ))}
          </Card>
        )}
      </Shown>
    </Page>
  )
}

/** Who sits in a class, with their pictures; for its class teacher also whom to call. */
export function ClassList({ division }: { division: string }) {
  const read = useRead(['/teacher/class/students', division], () =>
    call(api.GET('/teacher/class/{divisionId}/students', { params: { path: { divisionId: division } } })),
  )
  return (
    <Page title={read.data ? placeOf(read.data) : t('nav.classes')} back="/classes">
      <Card label={t('school.attendance')}>
        <Line to={`/classes/${division}/attendance`} title={t('school.attendance')} note={t('classes.month')} />
      </Card>
      <Shown of={read} lines={8} isEmpty={(d) => d.students.length === 0} empty="register.nobody">
        {({ students }) => (
          <Card label={t('classes.list')}>
            <ul className="rows">
              {students.map((s) => (
                <Student key={s.id} of={s} />
              ))}
            </ul>
          </Card>
        )}
      </Shown>
    </Page>
  )
}

function Student({ of }: { of: Schemas['RosterStudent'] }) {
  return (
    <li className="person">
      <Picture file={of.photoFileId} letters={[...of.firstName][0] ?? ''} />
      <div className="grow">
        <span className="line-title">{nameOf(of)}</span>
        <span className="note">{joined([of.rollNumber, of.admissionNumber])}</span>
        {of.allergies && <span className="note">{t('classes.allergies', { text: of.allergies })}</span>}
        {of.guardians.map((g) => (
          <a key={g.phone} href={`tel:${g.phone}`} className="register-link">
            <IconPhone aria-hidden size={18} />
            <span>
              {g.name} <span className="note">{relationOf(g.relation)}</span>
            </span>
          </a>
        ))}
      </div>
    </li>
  )
}
