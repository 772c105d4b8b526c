import type { ReactNode } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { t } from '../../messages/messages'
import { nameOf } from '../../patterns/format'
import { type Read, useRead } from '../read'
import { Choices, Empty, Page, Shown } from '../ui'

export type Child = Schemas['StudentItem']

export function useChildren(): Read<Schemas['Children']> {
  return useRead(['/parent/student/list'], () => call(api.POST('/parent/student/list', { body: { data: {} } })))
}

/** 5 · A: the class and the division as the school names them. */
export const seatOf = (c: { className: string; divisionName: string }) =>
  [c.className, c.divisionName].filter(Boolean).join(' · ')

interface ChildPageProps {
  title: string
  /** Without one it is the first child. */
  student?: string
  back?: string
  /** The same page of a sibling. */
  at: (id: string) => string
  children: (child: Child) => ReactNode
}

/** A page about one child, with the way to its siblings. One that is not among the parent's is not found. */
export function ChildPage({ title, student, back, at, children }: ChildPageProps) {
  const all = useChildren()
  return (
    <Page title={title} back={back}>
      <Shown of={all} lines={2} undated>
        {({ students }) => {
          const child = student ? students.find((s) => s.id === student) : students[0]
          if (!child) return <Empty text={t(student ? 'children.notFound' : 'children.none')} />
          return (
            <>
              <Choices
                label={t('children.label')}
                of={students.map((s) => ({ id: s.id, name: s.firstName, current: s.id === child.id }))}
                to={at}
              />
              <h2>
                {nameOf(child)} <span className="note">{seatOf(child)}</span>
              </h2>
              {/* Nothing of one child stays under the name of another. */}
              <div key={child.id} className="form">
                {children(child)}
              </div>
            </>
          )
        }}
      </Shown>
    </Page>
  )
}

/** A page of the School place about one child. */
export function SchoolPage(props: { student: string; tab: string; title: string; children: (c: Child) => ReactNode }) {
  const { student, tab, title, children } = props
  return (
    <ChildPage title={title} student={student} back={`/school/${student}`} at={(id) => `/school/${id}/${tab}`}>
      {children}
    </ChildPage>
  )
}
