// The remarks on a report card: the class teacher's, which the office may write as well, and the principal's.
import { Button, Group, Stack, Text, Textarea, Title, VisuallyHidden } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, asProblem, call } from '../../api/client'
import { changed } from '../../api/queries'
import { useMay } from '../../api/session'
import { t } from '../../messages/console'
import { Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'
import { KeptOffer, useKept } from '../../patterns/kept'
import { offerUndo } from '../../patterns/undo'
import type { Card } from './card'

export function CardRemarks({ card }: { card: Card }) {
  const may = useMay()
  const params = { path: { studentId: card.student.id } }
  return (
    <>
      <CardRemark
        keptAs={`remark.${card.student.id}.${card.academicYearId}.teacher`}
        title={t("Class teacher's remark")}
        none={t('None yet. The printed card has lines to write one on.')}
        now={card.remark}
        mayWrite={may('result', 'write')}
        write={(data) =>
          call(
            api.PUT('/school-admin/exam/report-card/{studentId}/remark', {
              params,
              body: { data: { academicYearId: card.academicYearId, ...data } },
            }),
          )
        }
      />
      <CardRemark
        keptAs={`remark.${card.student.id}.${card.academicYearId}.principal`}
        title={t("Principal's remark")}
        none={t('None. The card is printed without one.')}
        now={card.principalRemark}
        mayWrite={may('principal-remark', 'write')}
        write={(data) =>
          call(
            api.PUT('/school-admin/exam/report-card/{studentId}/principal-remark', {
              params,
              body: { data: { academicYearId: card.academicYearId, ...data } },
            }),
          )
        }
      />
    </>
  )
}

function CardRemark({
  keptAs,
  title,
  none,
  now,
  mayWrite,
  write,
}: {
  keptAs: string
  title: string
  none: string
  now: Card['remark']
  mayWrite: boolean
  write: (data: { remark: string; version?: number }) => Promise<unknown>
}) {
  const format = useFormat()
  const [text, setText] = useState<string | null>(null)
  const kept = useKept(
    keptAs,
    text === null || text === (now?.remark ?? '') ? undefined : text,
    now?.remark ?? '',
    setText,
  )
  const save = useMutation({
    mutationFn: () => write({ remark: text ?? '', ...(now && { version: now.version }) }),
    onSuccess: () => {
      offerUndo(t('Changed: {some}', { some: title }), () => write({ remark: now?.remark ?? '' }))
      changed('/school-admin/exam/report-card')
      setText(null)
    },
  })
  const stale = save.error && asProblem(save.error).status === 409
  return (
    <section aria-label={title}>
      <Title order={2} mb={8}>
        {title}
      </Title>
      <KeptOffer kept={kept} what={t('A part of this form was')} />
      {text === null ? (
        <Group gap={16} justify="space-between" align="flex-start">
          <div style={{ flex: 1, minWidth: 200 }}>
            {now?.remark ? (
              <>
                <Text style={{ whiteSpace: 'pre-wrap' }}>{now.remark}</Text>
                <Text size="sm" c="dimmed" className="no-print">
                  {now.by}, {format.dateTime(now.updatedAt)}
                </Text>
              </>
            ) : (
              <Text c="dimmed">{none}</Text>
            )}
          </div>
          {mayWrite && (
            <Button
              variant="default"
              size="compact-md"
              className="no-print"
              onClick={() => {
                save.reset()
                setText(now?.remark ?? '')
              }}
            >
              {now?.remark ? t('Change the remark') : t('Write a remark')}
              <VisuallyHidden> ({title})</VisuallyHidden>
            </Button>
          )}
        </Group>
      ) : (
        <form
          onSubmit={(e) => {
            e.preventDefault()
            save.mutate()
          }}
        >
          <Stack gap={12}>
            <Textarea
              label={title}
              description={t('Printed on the card; parents read it with the results. Leave empty for none.')}
              autosize
              minRows={3}
              maxLength={1000}
              data-autofocus
              value={text}
              error={save.error ? asProblem(save.error).fields.remark : undefined}
              onChange={(e) => setText(e.currentTarget.value)}
            />
            <Trouble error={save.error} />
            {stale && now && (
              <Text size="sm">{t('The card now says: {remark}', { remark: now.remark || t('nothing') })}</Text>
            )}
            <Group justify="flex-end" gap={8}>
              <Button variant="default" onClick={() => setText(null)}>
                {t('Cancel')}
              </Button>
              <Button type="submit" variant="default" loading={save.isPending}>
                {t('Save')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </section>
  )
}
