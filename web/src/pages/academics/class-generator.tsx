import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, call, type Schemas } from '../../api/client'
import { changed } from '../../api/queries'
import { t } from '../../messages/console'
import { Dialog, Trouble } from '../../patterns/feedback'
import { useFormat } from '../../patterns/format'

/** Adds a whole school's classes and divisions at once: "1 to 10", "A to C". */
export function GenerateClasses({ close }: { close: () => void }) {
  const format = useFormat()
  const [classes, setClasses] = useState('1 to 10')
  const [divisions, setDivisions] = useState('A to B')
  const [plan, setPlan] = useState<Schemas['Generated'] | null>(null)
  const run = useMutation({
    mutationFn: (dryRun: boolean) =>
      call(api.POST('/school-admin/class/generate', { body: { data: { classes, divisions, dryRun } } })),
    onSuccess: (g) => {
      if (g.dryRun) return setPlan(g)
      changed('/school-admin/')
      close()
    },
  })
  const edit = (set: (v: string) => void) => (e: { currentTarget: { value: string } }) => {
    set(e.currentTarget.value)
    setPlan(null)
  }
  const nothing = plan && plan.newClasses + plan.newDivisions === 0
  return (
    <Dialog title={t('Add many classes')} onClose={close} size={520}>
      <Stack gap={12}>
        <TextInput
          label={t('Classes')}
          description={t('Names with commas between them, for example: Nursery, LKG, UKG, 1 to 10')}
          value={classes}
          onChange={edit(setClasses)}
        />
        <TextInput
          label={t('Divisions of each class')}
          description={t('For example: A to C. Leave it empty for none')}
          value={divisions}
          onChange={edit(setDivisions)}
        />
        <Trouble error={run.error} />
        {plan && (
          <div role="status">
            <Text fw={500}>
              {nothing
                ? t('The school has all of these already.')
                : t('{newClasses} new classes, {newDivisions} new divisions', {
                    newClasses: format.number(plan.newClasses),
                    newDivisions: format.number(plan.newDivisions),
                  })}
            </Text>
            <ul className="details">
              {plan.classes.map((c) => (
                <li key={c.name}>
                  {!c.new
                    ? t('{name}{newDivisions} (exists)', {
                        name: c.name,
                        newDivisions: c.newDivisions.length > 0 && `: ${c.newDivisions.join(', ')}`,
                      })
                    : `${c.name}${c.newDivisions.length > 0 && `: ${c.newDivisions.join(', ')}`}`}
                </li>
              ))}
            </ul>
          </div>
        )}
        <Group gap={8}>
          {plan && !nothing ? (
            <Button loading={run.isPending} onClick={() => run.mutate(false)}>
              {t('Add them')}
            </Button>
          ) : (
            <Button loading={run.isPending} disabled={!classes.trim()} onClick={() => run.mutate(true)}>
              {t('Preview')}
            </Button>
          )}
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
