import { Button, Stack, Text } from '@mantine/core'
import { IconMailFast, IconPlus, IconTemplate } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, call, done, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { useAddress } from '../../patterns/address'
import { FormDrawer, Reading } from '../../patterns/FormDrawer'
import { Empty, Lines, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { ListPage } from '../../patterns/ListPage'
import { Money } from '../../patterns/money'
import { DrawerHead, Facts, fieldsOf, useDraft, useSave } from '../../patterns/record'
import { Arrived, allTemplates, channels, channelWord, Delivery, DispatchNav, useDispatch } from './delivery'

export function Dispatches() {
  const format = useFormat()
  const may = useMay()
  const write = may('message', 'write') && (
    <Button component={Link} to="/dispatch/new" leftSection={<IconPlus size={16} />}>
      {t('Write to many')}
    </Button>
  )
  return (
    <>
      <DispatchNav />
      <ListPage
        path="/school-admin/dispatch/list"
        title={t('E-mail and SMS')}
        noun={[t('dispatch'), t('dispatches')]}
        id={(d) => d.id}
        name={(d) => d.subject || d.body.slice(0, 40)}
        search={t('Subject or text')}
        filters={[{ key: 'channel', label: t('By'), options: channels }]}
        columns={[
          { key: 'text', title: t('Text'), cell: (d) => d.subject || d.body },
          { key: 'by', title: t('By'), cell: (d) => channelWord(d.channel), phone: true },
          { key: 'at', title: t('When'), cell: (d) => format.dateTime(d.createdAt), sort: 'createdAt' },
          {
            key: 'state',
            title: t('State'),
            cell: (d) => <Arrived of={d} />,
            phone: true,
          },
          { key: 'people', title: t('Recipients'), cell: (d) => format.number(d.recipients), end: true },
          {
            key: 'cost',
            title: t('Cost'),
            cell: (d) => (d.cost > 0 ? <Money of={d.cost} /> : ''),
            end: true,
          },
        ]}
        primary={write}
        empty={
          <Empty
            icon={<IconMailFast size={32} stroke={1.2} />}
            title={t('Nothing was sent yet')}
            text={t(
              'An e-mail or an SMS to the parents of some classes or to staff, each with their own name in it. You see who receives it and what it costs before it is sent.',
            )}
            action={write}
            example={t('For example: Dear {name}, school closes at noon tomorrow. {school}')}
          />
        }
        drawer={(id, close) => <DispatchDrawer id={id} close={close} key={id} />}
      />
    </>
  )
}

function DispatchDrawer({ id, close }: { id: string; close: () => void }) {
  const format = useFormat()
  const q = useDispatch(id)
  const d = q.data
  return (
    <>
      <DrawerHead
        title={d ? d.subject || channelWord(d.channel) : ' '}
        summary={d && <Arrived of={d} />}
        close={close}
      />
      <div className="drawer-body">
        {!d ? (
          q.error ? (
            <Trouble error={q.error} retry={() => void q.refetch()} />
          ) : (
            <Lines />
          )
        ) : (
          <Stack gap={24}>
            <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{d.body}</Text>
            <Facts
              of={[
                [t('By'), channelWord(d.channel)],
                [t('When'), format.dateTime(d.createdAt)],
                ...(d.cost > 0
                  ? ([
                      [
                        t('Cost'),
                        t('{cost} for {segments} SMS', {
                          cost: format.money(d.cost),
                          segments: format.number(d.segments),
                        }),
                      ],
                    ] as [string, string][])
                  : []),
              ]}
            />
            <Delivery dispatch={d} />
          </Stack>
        )}
      </div>
    </>
  )
}

/* Templates */

export function Templates() {
  const may = useMay()
  const [, setAddress] = useAddress()
  const add = may('message', 'write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAddress({ open: 'new' })}>
      {t('Add a template')}
    </Button>
  )
  return (
    <>
      <DispatchNav />
      <ListPage
        path="/school-admin/dispatch/template/list"
        title={t('Templates')}
        noun={[t('template'), t('templates')]}
        id={(t) => t.id}
        name={(t) => t.name}
        search={t('Name or text')}
        filters={[{ key: 'channel', label: t('By'), options: channels }]}
        columns={[
          { key: 'name', title: t('Name'), cell: (t) => t.name, sort: 'name' },
          { key: 'by', title: t('By'), cell: (t) => channelWord(t.channel), phone: true },
          { key: 'text', title: t('Text'), cell: (t) => t.body },
        ]}
        primary={add}
        empty={
          <Empty
            icon={<IconTemplate size={32} stroke={1.2} />}
            title={t('No templates yet')}
            text={t('A text that is sent again and again, with {name}, {student} and {school} for what differs.')}
            action={add}
          />
        }
        drawer={(id, close) =>
          id === 'new' ? <TemplateForm close={close} /> : <TemplateDrawer id={id} close={close} key={id} />
        }
      />
    </>
  )
}

function TemplateDrawer({ id, close }: { id: string; close: () => void }) {
  const q = useQuery({
    queryKey: ['/school-admin/dispatch/template/', id],
    queryFn: async () => (await allTemplates()).find((t) => t.id === id) ?? null,
  })
  return q.data ? (
    <TemplateForm template={q.data} close={close} />
  ) : (
    <Reading
      error={q.error ?? (q.isSuccess ? new Error(t('This template no longer exists.')) : null)}
      retry={() => void q.refetch()}
      close={close}
    />
  )
}

const labels = { name: t('Name'), channel: t('By'), subject: t('Subject'), body: t('Text') }

function TemplateForm({ template, close }: { template?: Schemas['Template']; close: () => void }) {
  const may = useMay()
  const pick = (t?: Schemas['Template']) => ({
    name: t?.name ?? '',
    channel: t?.channel ?? 'SMS',
    subject: t?.subject ?? '',
    body: t?.body ?? '',
  })
  const draft = useDraft(pick(template))
  const f = fieldsOf(draft)
  const add = (v: typeof draft.values) =>
    call(api.POST('/school-admin/dispatch/template/create', { body: { data: v as Schemas['TemplateFields'] } }))
  const save = useSave({
    draft,
    labels,
    version: template?.version,
    save: (c, version, v) =>
      template
        ? call(
            api.PUT('/school-admin/dispatch/template/{id}', {
              params: { path: { id: template.id } },
              body: { data: { ...c, version } as Schemas['TemplateChange'] },
            }),
          )
        : add(v),
    reread:
      template &&
      (async () => {
        const now = (await allTemplates()).find((t) => t.id === template.id)!
        return { ...pick(now), version: now.version }
      }),
    onSaved: () => {
      changed('/school-admin/dispatch/template/')
      if (!template) close()
    },
  })
  return (
    <FormDrawer
      title={template?.name ?? t('Add a template')}
      what={template?.name ?? ''}
      close={close}
      draft={draft}
      save={save}
      create={!template}
      remove={
        template && may('message', 'delete')
          ? () => done(api.DELETE('/school-admin/dispatch/template/{id}', { params: { path: { id: template.id } } }))
          : undefined
      }
      restore={() => add(pick(template))}
    >
      <div className="pair">
        {f.text({ k: 'name', label: labels.name, placeholder: t('Closed tomorrow'), required: true, maxLength: 100 })}
        {f.choice({ k: 'channel', label: labels.channel, data: channels, disabled: !!template })}
      </div>
      {draft.values.channel === 'EMAIL' && f.text({ k: 'subject', label: labels.subject, maxLength: 200 })}
      {f.area({
        k: 'body',
        label: labels.body,
        description: t('{name}, {student} and {school} are filled in for each recipient'),
      })}
    </FormDrawer>
  )
}
