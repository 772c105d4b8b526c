import { IconPhone } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, call, fetchBlob, type Schemas } from '../../api/client'
import { type Key, t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { useRead } from '../read'
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
                note={[c.isClassTeacher && t('classes.mine'), t('classes.students', { count: c.studentCount })]
                  .filter(Boolean)
                  .join(' · ')}
              />
            ))}
          </Card>
        )}
      </Shown>
    </Page>
  )
}

const relations: Record<string, Key> = {
  FATHER: 'relation.father',
  MOTHER: 'relation.mother',
  GUARDIAN: 'relation.guardian',
}

/** Who sits in a class, with their pictures; for its class teacher also whom to call. */
export function ClassList({ division }: { division: string }) {
  const read = useRead(['/teacher/class/students', division], () =>
    call(api.GET('/teacher/class/{divisionId}/students', { params: { path: { divisionId: division } } })),
  )
  return (
    <Page title={read.data ? placeOf(read.data) : t('nav.classes')} back="/classes">
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
      <Picture file={of.photoFileId} name={of.firstName} />
      <div className="grow">
        <span className="line-title">{nameOf(of)}</span>
        <span className="note">{[of.rollNumber, of.admissionNumber].filter(Boolean).join(' · ')}</span>
        {of.allergies && <span className="note">{t('classes.allergies', { text: of.allergies })}</span>}
        {of.guardians.map((g) => (
          <a key={g.phone} href={`tel:${g.phone}`} className="register-link">
            <IconPhone aria-hidden size={18} />
            <span>
              {g.name} <span className="note">{t(relations[g.relation] ?? 'relation.other')}</span>
            </span>
          </a>
        ))}
      </div>
    </li>
  )
}

/** A small picture of a student; the first letter of the name stands for one that there is not. */
function Picture({ file, name }: { file: string | null; name: string }) {
  const picture = useQuery({
    queryKey: ['photo', file],
    queryFn: async () => URL.createObjectURL(await fetchBlob(`/teacher/file/${file}`, { thumbnail: 'true' })),
    enabled: file !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (picture.data) return <img className="picture" src={picture.data} alt="" width="44" height="44" />
  return (
    <span className="picture" aria-hidden>
      {[...name][0]}
    </span>
  )
}
