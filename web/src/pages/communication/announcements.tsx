import { Button, Stack, Text } from '@mantine/core'
import { IconPlus, IconSpeakerphone } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed, useClasses } from '../../api/queries'
import { useMay } from '../../api/session'
import { useAudienceWords } from '../../patterns/Audience'
import { useAddress } from '../../patterns/address'
import { FileList } from '../../patterns/Files'
import { Confirm, Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { DrawerHead, Facts } from '../../patterns/record'
import { audienceOf, audiences, Editor, read, State, states } from './announcement-editor'
import { Reach } from './reach'
import '../../patterns/areas.css'
import { t } from '../../messages/console'

type Counted = Schemas['Counted']
const path = '/school-admin/announcement/'

export function Announcements() {
  const format = useFormat()
  const may = useMay()
  const classes = useClasses()
  const inWords = useAudienceWords()
  const [, setAddress] = useAddress()
  const add = may('announcement', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Write an announcement')}
    </Button>
  )
  const whom = (a: Counted) => audienceOf(a, inWords(a.classIds, a.divisionIds))
  return (
    <ListPage
      path="/school-admin/announcement/list"
      title={t('Announcements')}
      noun={[t('announcement'), t('announcements')]}
      id={(a) => a.id}
      name={(a) => a.title}
      search={t('Title or text')}
      filters={[
        {
          key: 'status',
          label: t('State'),
          options: Object.entries(states).map(([value, [, label]]) => ({ value, label })),
        },
        { key: 'targetAudience', label: t('To'), options: audiences },
        {
          key: 'classId',
          label: t('Class'),
          options: (classes.data ?? []).map((c) => ({ value: c.id, label: c.name })),
        },
      ]}
      columns={[
        { key: 'title', title: t('Title'), cell: (a) => a.title, sort: 'title' },
        { key: 'to', title: t('To'), cell: whom },
        {
          key: 'state',
          title: t('State'),
          cell: (a) => <State of={a.status} />,
          phone: true,
        },
        {
          key: 'at',
          title: t('When'),
          cell: (a) => format.dateTime(a.publishedAt ?? a.publishAt),
          sort: 'publishedAt',
        },
        {
          key: 'read',
          title: t('Read'),
          cell: (a) =>
            a.recipientCount
              ? t('{readCount} of {recipientCount}', {
                  readCount: format.number(a.readCount),
                  recipientCount: format.number(a.recipientCount),
                })
              : '',
          end: true,
          phone: true,
        },
      ]}
      primary={add}
      empty={
        <Empty
          icon={<IconSpeakerphone size={32} stroke={1.2} />}
          title={t('Nothing was announced yet')}
          text={t(
            'Say something to everybody, to parents, to teachers, or to some classes. You see how many it reaches before it goes out, and how many have read it.',
          )}
          action={add}
          example={t('For example: School closes at noon on Friday, to the parents of Class 5 and 6.')}
        />
      }
      drawer={(id, close) =>
        id === 'new' ? <Editor close={close} /> : <AnnouncementDrawer id={id} close={close} key={id} />
      }
    />
  )
}

function AnnouncementDrawer({ id, close }: { id: string; close: () => void }) {
  const may = useMay()
  const q = useQuery({
    queryKey: [path, id],
    queryFn: () => read(id),
    refetchInterval: (x) => (x.state.data?.status === 'PUBLISHED' && x.state.data.recipientCount === 0 ? 1500 : false),
  })
  const a = q.data
  if (!a)
    return (
      <>
        <DrawerHead title={' '} close={close} />
        <div className="drawer-body">
          {q.error ? <Trouble error={q.error} retry={() => void q.refetch()} /> : <Lines />}
        </div>
      </>
    )
  return (a.status === 'DRAFT' || a.status === 'SCHEDULED') && may('announcement', 'write') ? (
    <Editor announcement={a} close={close} />
  ) : (
    <Published announcement={a} close={close} />
  )
}

function Published({ announcement: a, close }: { announcement: Counted; close: () => void }) {
  const format = useFormat()
  const may = useMay()
  const inWords = useAudienceWords()
  const [asking, setAsking] = useState(false)
  const withdraw = useMutation({
    mutationFn: () => call(api.POST('/school-admin/announcement/{id}/withdraw', { params: { path: { id: a.id } } })),
    onSuccess: () => {
      changed(path)
      setAsking(false)
    },
  })
  return (
    <>
      <DrawerHead
        title={a.title}
        close={close}
        summary={<State of={a.status} />}
        actions={
          a.status === 'PUBLISHED' &&
          may('announcement', 'write') && (
            <Button variant="default" size="compact-md" onClick={() => setAsking(true)}>
              {t('Withdraw…')}
            </Button>
          )
        }
      />
      <div className="drawer-body">
        <Stack gap={24}>
          <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{a.body}</Text>
          <FileList ids={a.attachmentFileIds} />
          <Facts
            of={[
              [t('To'), audienceOf(a, inWords(a.classIds, a.divisionIds))],
              [
                t('Sent to'),
                t(
                  { one: '{recipientCount} person', other: '{recipientCount} people' },
                  { count: a.recipientCount, recipientCount: format.number(a.recipientCount) },
                ),
              ],
              [
                t('Have read it'),
                a.recipientCount
                  ? `${format.number(a.readCount)} (${Math.round((100 * a.readCount) / a.recipientCount)} %)`
                  : '–',
              ],
              [t('Published'), format.dateTime(a.publishedAt)],
              [t('Visible until'), a.expiresAt ? format.dateTime(a.expiresAt) : t('withdrawn')],
            ]}
          />
          {a.status === 'PUBLISHED' && <Reach recordId={a.id} version={a.recipientCount} />}
        </Stack>
      </div>
      <Confirm
        opened={asking}
        title={t('Withdraw “{title}”?', { title: a.title })}
        action={t('Withdraw')}
        danger
        busy={withdraw.isPending}
        error={withdraw.error}
        onClose={() => setAsking(false)}
        onConfirm={() => withdraw.mutate()}
      >
        {t('It is no longer visible, and its notifications are removed. It cannot be published again.')}
      </Confirm>
    </>
  )
}
