export const moveTones = { RUNNING: 'busy', MOVED: 'good', CONFIRMED: 'off', FAILED: 'bad' } as const

export const moveWords: Record<string, string> = {
  RUNNING: 'Moving',
  MOVED: 'Moved, old copy kept',
  CONFIRMED: 'Moved',
  FAILED: 'Did not move',
}

export const stepWords: Record<string, string> = {
  prepare: 'Waiting for its turn',
  schema: 'The tables are made there',
  publish: 'What is written from now on is noted',
  copy: 'The rows are copied, while the school is in use',
  switch: 'Writes wait, both copies are compared, and the school changes over',
  release: 'What the move needed is removed',
}
