import { fetchWhole } from '../../api/list'
import { type Key, t } from '../../messages/messages'
import { useFormat } from '../format'
import { useRead } from '../read'
import { Card, Empty, Shown } from '../ui'
import { SchoolPage } from './children'
import { OpenPaper } from './paper'

const newest = (student: string) => ({ filters: { studentId: student }, sort: 'createdAt', order: 'desc' }) as const

const useCertificates = (student: string) =>
  useRead(['/parent/student/certificate/list', student], () =>
    fetchWhole('/parent/student/certificate/list', newest(student)),
  )

const useFeeCertificates = (student: string) =>
  useRead(['/parent/fee/certificate/list', student], () => fetchWhole('/parent/fee/certificate/list', newest(student)))

/** How many papers the school has issued; undefined while it is not known. */
export function useCertificateCount(student: string): number | undefined {
  const issued = useCertificates(student).data
  const fees = useFeeCertificates(student).data
  return issued && fees && issued.items.length + fees.items.length
}

/** What the school has certified of a child, to open and to print at home. */
export function Certificates({ student }: { student: string }) {
  return (
    <SchoolPage student={student} tab="certificates" title={t('school.certificates')}>
      {(child) => <Issued student={child.id} />}
    </SchoolPage>
  )
}

function Issued({ student }: { student: string }) {
  const issued = useCertificates(student)
  const fees = useFeeCertificates(student)
  return (
    <Shown of={issued} after={[fees]} lines={4} dated>
      {({ items }) => (
        <>
          {items.length === 0 && fees.data?.items.length === 0 && <Empty text={t('certificates.none')} />}
          {items.map((c) => (
            <Certificate
              key={c.id}
              of={c}
              kind={c.kind === 'LEAVING' ? 'certificates.leaving' : 'certificates.bonafide'}
              path={`/parent/student/certificate/${c.id}`}
            />
          ))}
          {fees.data?.items.map((c) => (
            <Certificate key={c.id} of={c} kind="certificates.fees" path={`/parent/fee/certificate/${c.id}`} />
          ))}
        </>
      )}
    </Shown>
  )
}

interface CertificateProps {
  of: { number: number; createdAt: string; purpose: string }
  kind: Key
  path: string
}

function Certificate({ of, kind, path }: CertificateProps) {
  const format = useFormat()
  return (
    <Card label={t(kind)}>
      <h2>{t(kind)}</h2>
      <p className="note">
        {t('certificates.issued', { number: format.number(of.number), date: format.dateOf(of.createdAt) })}
      </p>
      {of.purpose && <p>{of.purpose}</p>}
      <OpenPaper path={path} name={t('certificates.open')} file={`certificate-${of.number}.pdf`} />
    </Card>
  )
}
