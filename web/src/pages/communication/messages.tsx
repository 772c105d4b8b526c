import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  ScrollArea,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowLeft, IconMessages, IconPlus, IconSend } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { api, asProblem, call, type Schemas } from '../../api/client'
import { downloadList, fetchList } from '../../api/list'
import { changed } from '../../api/queries'
import { useMay, useSession } from '../../api/session'
import { useAddress } from '../../patterns/address'
import { AttachButton, FileList } from '../../patterns/Files'
import { Empty, Lines, Trouble, UnsavedGuard } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { SearchBox } from '../../patterns/ListPage'
import { useOnce } from '../../patterns/once'
import { words } from '../../patterns/words'
import '../../patterns/areas.css'
import { t } from '../../messages/console'

const path = '/school-admin/message/'
/** Stands for the office in a thread that a parent has with it. */
const nobody = '00000000-0000-0000-0000-000000000000'

/** Threads on the left, one of them on the right. What is unread is bold and counted. */
export function Messages() {
  const format = useFormat()
  const may = useMay()
  const [address, setAddress] = useAddress()
  const filters: Record<string, string> = {
    ...(address.q ? { search: address.q } : {}),
    ...(address.unread ? { unread: 'true' } : {}),
    ...(address.office ? { office: 'true' } : {}),
    ...(address.open ? { unanswered: 'true' } : {}),
  }
  const size = Math.min(100, Math.max(1, Number(address.more) || 1) * 25)
  const list = useQuery({
    queryKey: [`${path}list`, filters, size],
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
    queryFn: () => fetchList('/school-admin/message/list', { page: 1, limit: size, filters }),
  })
  const threads = list.data?.items ?? []
  const open = address.thread
  const write = may('message', 'write')
  const begin = write && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ thread: 'new' })}>
      {t('New message')}
    </Button>
  )
  const bare = list.isSuccess && list.data.total === 0 && Object.keys(filters).length === 0 && open !== 'new'
  return (
    <div className="page messages" data-open={open ? true : undefined}>
      <Group justify="space-between" mb={16} gap={12} className="messages-title">
        <Title order={1}>{t('Messages')}</Title>
        <Group gap={8}>
          <Button
            variant="default"
            className="only-wide"
            disabled={threads.length === 0}
            onClick={() =>
              void downloadList('/school-admin/message/list', { filters }, 'messages.csv').catch((e) =>
                notifications.show({ color: 'red', message: asProblem(e).message }),
              )
            }
          >
            {t('CSV')}
          </Button>
          {begin}
        </Group>
      </Group>
      {list.error && !list.data ? (
        <Trouble error={list.error} retry={() => void list.refetch()} />
      ) : bare ? (
        <div className="panel">
          <Empty
            icon={<IconMessages size={32} stroke={1.2} />}
            title={t('No messages yet')}
            text={t(
              'Write to parents and teachers, one to one or to a few. Their answers come in here, and what parents write to the office; they are notified in their app.',
            )}
            action={begin}
          />
        </div>
      ) : (
        <div className="panes panel">
          <div className="threads">
            <Group gap={8} p={12} wrap="nowrap">
              <SearchBox
                placeholder={t('Person or subject')}
                value={address.q ?? ''}
                onChange={(q) => setAddress({ q: q || undefined }, true)}
              />
              <button
                type="button"
                className="chip"
                data-set={address.unread ? true : undefined}
                aria-pressed={!!address.unread}
                onClick={() => setAddress({ unread: address.unread ? undefined : '1' })}
              >
                {t('Unread')}
              </button>
            </Group>
            <Group gap={8} px={12} pb={12}>
              {(
                [
                  ['office', t('To the office')],
                  ['open', t('Not answered')],
                ] as const
              ).map(([k, label]) => (
                <button
                  key={k}
                  type="button"
                  className="chip"
                  data-set={address[k] ? true : undefined}
                  aria-pressed={!!address[k]}
                  onClick={() => setAddress({ [k]: address[k] ? undefined : '1' })}
                >
                  {label}
                </button>
              ))}
            </Group>
            <ul aria-label={t('Threads')}>
              {list.isPending && (
                <li style={{ padding: 12 }}>
                  <Lines n={4} />
                </li>
              )}
              {threads.map((it) => (
                <li key={it.id}>
                  <button
                    type="button"
                    className="thread"
                    aria-current={open === it.id ? 'true' : undefined}
                    data-unread={it.unreadCount > 0 || undefined}
                    onClick={() => setAddress({ thread: it.id })}
                  >
                    <span className="thread-top">
                      <span className="thread-who">{it.with || t('Nobody else')}</span>
                      <span className="thread-at figures">{format.ago(it.lastMessageAt)}</span>
                    </span>
                    <span className="thread-subject">
                      {[
                        it.office && t('To the office'),
                        it.subject,
                        it.studentName && t('about {studentName}', { studentName: it.studentName }),
                      ]
                        .filter(Boolean)
                        .join(', ') || t('No subject')}
                    </span>
                    <span className="thread-last">
                      <span>{it.lastMessage}</span>
                      {it.unreadCount > 0 && (
                        <b className="count figures">
                          <span className="hidden">{t(', unread:')} </span>
                          {it.unreadCount}
                        </b>
                      )}
                    </span>
                  </button>
                </li>
              ))}
              {list.isSuccess && threads.length === 0 && (
                <li>
                  <Text c="dimmed" p={16} size="sm">
                    {t('Nothing matches.')}
                  </Text>
                </li>
              )}
            </ul>
            {list.data && list.data.total > threads.length && (
              <Group p={12}>
                <Button
                  variant="default"
                  size="compact-md"
                  onClick={() => setAddress({ more: String(Math.ceil(size / 25) + 1) }, true)}
                >
                  {t('Older ones')}
                </Button>
              </Group>
            )}
          </div>
          <div className="thread-pane">
            {open === 'new' ? (
              write && <NewThread close={() => setAddress({ thread: undefined })} />
            ) : open ? (
              <ThreadPane key={open} id={open} back={() => setAddress({ thread: undefined })} />
            ) : (
              <Empty title={t('Choose a thread')} text={t('Or begin a new one. Ctrl and Enter sends.')} />
            )}
          </div>
        </div>
      )}
    </div>
  )
}

function ThreadPane({ id, back }: { id: string; back: () => void }) {
  const me = useSession().user.id
  const format = useFormat()
  const may = useMay()
  const [limit, setLimit] = useState(50)
  const end = useRef<HTMLDivElement>(null)
  const q = useQuery({
    queryKey: [`${path}thread`, id, limit],
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
    queryFn: () =>
      call(api.GET('/school-admin/message/thread/{id}', { params: { path: { id }, query: { limit } as never } })),
  })
  const it = q.data
  const mark = useMutation({
    mutationFn: () => call(api.POST('/school-admin/message/read', { body: { data: { threadId: id } } })),
    onSuccess: () => changed(`${path}list`),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: marked once for each number of unread messages
  useEffect(() => {
    if (it && it.unreadCount > 0 && may('message', 'write') && !mark.isPending) mark.mutate()
  }, [it?.unreadCount])
  const last = it?.messages.at(-1)?.id
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' }) // answers with a promise in newer browsers: it must not be the effect's
  }, [last])
  if (!it)
    return (
      <div style={{ padding: 24 }}>
        {q.error ? (
          <Stack gap={12}>
            <Trouble error={q.error} retry={() => void q.refetch()} />
            <Group className="only-narrow">
              <Button variant="default" onClick={back}>
                {t('Back')}
              </Button>
            </Group>
          </Stack>
        ) : (
          <Lines />
        )}
      </div>
    )
  const office = it.participants.some((p) => p.userId === nobody)
  const others = it.participants.filter((p) => p.userId !== me && p.userId !== nobody)
  return (
    <>
      <div className="thread-head">
        <ActionIcon
          className="only-narrow"
          variant="subtle"
          color="gray"
          aria-label={t('Back to the threads')}
          onClick={back}
        >
          <IconArrowLeft size={18} />
        </ActionIcon>
        <div style={{ minWidth: 0 }}>
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {it.subject || others.map((p) => p.name).join(', ')}
          </Title>
          <Text size="sm" c="dimmed">
            {office
              ? t('{others}. Anybody of the office may answer; the parent sees “Office”.', {
                  others: others.map((p) => `${p.name} (${words(p.role).toLowerCase()})`).join(', '),
                })
              : `${others.map((p) => `${p.name} (${words(p.role).toLowerCase()})`).join(', ')}`}
          </Text>
        </div>
      </div>
      <ScrollArea
        className="thread-body"
        viewportProps={{ tabIndex: 0, role: 'log', 'aria-label': t('Messages of the thread') } as never}
      >
        <Stack gap={12} p={16}>
          {it.total > it.messages.length && limit < 100 && (
            <Group justify="center">
              <Button variant="default" size="compact-sm" onClick={() => setLimit(100)}>
                {t('Earlier messages')}
              </Button>
            </Group>
          )}
          {it.messages.map((m) => (
            <div key={m.id} className="bubble" data-mine={m.senderId === me || undefined}>
              <div className="bubble-text">
                <div style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{m.body}</div>
                <FileList ids={m.attachmentFileIds} />
              </div>
              <Text size="xs" c="dimmed">
                {m.senderId === me
                  ? m.senderId === me && m.readBy.length > 0
                    ? t(
                        { one: '{sentAt}, read', other: '{sentAt}, read by {readBy} of {others}' },
                        {
                          count: others.length,
                          sentAt: format.dateTime(m.sentAt),
                          readBy: m.readBy.length,
                          others: others.length,
                        },
                      )
                    : `${format.dateTime(m.sentAt)}`
                  : m.senderId === me && m.readBy.length > 0
                    ? t(
                        {
                          one: '{senderName}, {sentAt}, read',
                          other: '{senderName}, {sentAt}, read by {readBy} of {others}',
                        },
                        {
                          count: others.length,
                          senderName: m.senderName,
                          sentAt: format.dateTime(m.sentAt),
                          readBy: m.readBy.length,
                          others: others.length,
                        },
                      )
                    : `${m.senderName}, ${format.dateTime(m.sentAt)}`}
              </Text>
            </div>
          ))}
          <div ref={end} />
        </Stack>
      </ScrollArea>
      {may('message', 'write') && <Composer threadId={id} />}
    </>
  )
}

/** Where one writes. What was typed stays until it is known to be sent. */
function Composer({
  threadId,
  begin,
  disabled,
  sent,
}: {
  threadId?: string
  begin?: { to: Schemas['Contact'][]; subject: string; restore: (to: Schemas['Contact'][], subject: string) => void }
  disabled?: boolean
  sent?: (m: Schemas['Message']) => void
}) {
  const once = useOnce(`message.${threadId ?? 'new'}`, true)
  const [body, setBody] = useState('')
  const [files, setFiles] = useState<string[]>([])
  const send = useMutation({
    mutationFn: () => {
      const data = {
        body: body.trim(),
        attachmentFileIds: files,
        ...(threadId ? { threadId } : { recipientIds: begin!.to.map((c) => c.userId), subject: begin!.subject }),
      }
      return call(
        api.POST('/school-admin/message/send', {
          params: { header: { 'Idempotency-Key': once.keyFor(data) } },
          body: { data },
        }),
      )
    },
    onSuccess: (m) => {
      once.happened()
      setBody('')
      setFiles([])
      changed(path)
      sent?.(m)
    },
  })
  const { to = [], subject = '' } = begin ?? {}
  const typed = body.trim() !== '' || to.length > 0 || subject !== ''
  const kept = useKept(
    `message.${threadId ?? 'new'}`,
    typed && !send.isPending && !send.isSuccess ? { body, to, subject } : undefined,
    null,
    (what) => {
      setBody(what.body)
      begin?.restore(what.to, what.subject)
    },
  )
  const go = () => body.trim() && !disabled && !send.isPending && send.mutate()
  return (
    <form
      className="composer"
      onSubmit={(e) => {
        e.preventDefault()
        go()
      }}
    >
      <UnsavedGuard when={(body.trim() !== '' || files.length > 0) && !send.isPending && !send.isSuccess} />
      <KeptOffer kept={kept} what={t('A message was')} />
      {send.error ? <Trouble error={send.error} /> : null}
      <FileList ids={files} remove={(id) => setFiles(files.filter((x) => x !== id))} />
      <Textarea
        aria-label={t('Message')}
        placeholder={t('Write a message')}
        minRows={2}
        maxRows={8}
        maxLength={5000}
        value={body}
        onChange={(e) => {
          setBody(e.currentTarget.value)
          if (send.isSuccess || send.error) send.reset()
        }}
        error={send.error ? asProblem(send.error).fields.body : undefined}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
            e.preventDefault()
            go()
          }
        }}
      />
      <Group justify="space-between" gap={8}>
        <AttachButton size="compact-md" added={(ids) => setFiles([...files, ...ids])} />
        <Button
          type="submit"
          loading={send.isPending}
          disabled={disabled || !body.trim()}
          leftSection={<IconSend size={16} stroke={1.6} />}
        >
          {t('Send')}
        </Button>
      </Group>
    </form>
  )
}

function NewThread({ close }: { close: () => void }) {
  const [, setAddress] = useAddress()
  const contacts = useQuery({
    queryKey: [`${path}contacts`],
    queryFn: async () => (await call(api.GET('/school-admin/message/contacts'))).contacts,
  })
  const [find, setFind] = useState('')
  const [role, setRole] = useState('')
  const [to, setTo] = useState<Schemas['Contact'][]>([])
  const [subject, setSubject] = useState('')
  const hits = useMemo(() => {
    const w = find.toLowerCase().split(/\s+/).filter(Boolean)
    return (contacts.data ?? [])
      .filter(
        (c) =>
          (!role || c.role === role) &&
          !to.some((x) => x.userId === c.userId) &&
          w.every((x) => `${c.name} ${c.studentName}`.toLowerCase().includes(x)),
      )
      .slice(0, 30)
  }, [contacts.data, find, role, to])
  return (
    <>
      <div className="thread-head">
        <ActionIcon
          className="only-narrow"
          variant="subtle"
          color="gray"
          aria-label={t('Back to the threads')}
          onClick={close}
        >
          <IconArrowLeft size={18} />
        </ActionIcon>
        <Title order={2}>{t('New message')}</Title>
      </div>
      <ScrollArea
        className="thread-body"
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t('Recipients') } as never}
      >
        <Stack gap={16} p={16}>
          <div>
            <Text size="sm" fw={600} mb={4}>
              {t('To')}
            </Text>
            {to.length > 0 && (
              <Group gap={8} mb={8}>
                {to.map((c) => (
                  <button
                    key={c.userId}
                    type="button"
                    className="chip"
                    data-set
                    aria-label={t('Remove {name}', { name: c.name })}
                    onClick={() => setTo(to.filter((x) => x.userId !== c.userId))}
                  >
                    {c.name} ×
                  </button>
                ))}
              </Group>
            )}
            <Group gap={8} wrap="nowrap">
              <TextInput
                style={{ flex: 1 }}
                aria-label={t('Find a person')}
                placeholder={t("Their name, or a child's")}
                value={find}
                autoFocus
                onChange={(e) => setFind(e.currentTarget.value)}
                onKeyDown={(e) => {
                  if (e.key === 'Enter' && hits[0]) {
                    e.preventDefault()
                    setTo([...to, hits[0]])
                    setFind('')
                  }
                }}
              />
              <NativeSelect
                aria-label={t('Kind of person')}
                value={role}
                onChange={(e) => setRole(e.currentTarget.value)}
                data={[
                  { value: '', label: t('Everybody') },
                  { value: 'PARENT', label: t('Parents') },
                  { value: 'TEACHER', label: t('Teachers') },
                  { value: 'SCHOOL_ADMIN', label: t('Office') },
                ]}
              />
            </Group>
            {contacts.error ? (
              <Trouble error={contacts.error} retry={() => void contacts.refetch()} />
            ) : !contacts.data ? (
              <Lines n={3} />
            ) : (
              (find || to.length === 0) && (
                <div className="contact-list" role="group" aria-label={t('People found')}>
                  {hits.map((c) => (
                    <button
                      key={c.userId + (c.studentId ?? '')}
                      type="button"
                      className="palette-item"
                      onClick={() => {
                        setTo([...to, c])
                        setFind('')
                      }}
                    >
                      <span style={{ flex: 1 }}>{c.name}</span>
                      <Text span size="sm" c="dimmed" truncate>
                        {c.studentName
                          ? t('{role} of {studentName}', { role: words(c.role), studentName: c.studentName })
                          : words(c.role)}
                      </Text>
                    </button>
                  ))}
                  {hits.length === 0 && (
                    <Text size="sm" c="dimmed" p={8}>
                      {t('No match. People appear here once they have an account.')}
                    </Text>
                  )}
                </div>
              )
            )}
          </div>
          <TextInput
            label={t('Subject')}
            maxLength={200}
            value={subject}
            onChange={(e) => setSubject(e.currentTarget.value)}
          />
        </Stack>
      </ScrollArea>
      <Composer
        begin={{
          to,
          subject,
          restore: (people, about) => {
            setTo(people)
            setSubject(about)
          },
        }}
        disabled={to.length === 0}
        sent={(m) => setAddress({ thread: m.threadId }, true)}
      />
    </>
  )
}
