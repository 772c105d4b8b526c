import { t } from '../../messages/console'

export const moveTones = { RUNNING: 'busy', MOVED: 'good', CONFIRMED: 'off', FAILED: 'bad' } as const

export const moveWords: Record<string, string> = {
  RUNNING: t('Moving'),
  MOVED: t('Moved, old copy kept'),
  CONFIRMED: t('Moved'),
  FAILED: t('Did not move'),
}

export const stepWords: Record<string, string> = {
  prepare: t('Waiting for its turn'),
  schema: t('The tables are made there'),
  publish: t('What is written from now on is noted'),
  copy: t('The rows are copied, while the school is in use'),
  switch: t('Writes wait, both copies are compared, and the school changes over'),
  release: t('What the move needed is removed'),
}
