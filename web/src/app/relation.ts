import { type Key, t } from '../messages/messages'

const relations: Record<string, Key> = {
  FATHER: 'relation.father',
  MOTHER: 'relation.mother',
  GUARDIAN: 'relation.guardian',
}

/** How a guardian is related to the child. */
export const relationOf = (relation: string) => t(relations[relation] ?? 'relation.other')
