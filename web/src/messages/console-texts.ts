// Where the console's texts are, in a file for each language.
import type { Forms, Language } from './language'

const files: Record<Exclude<Language, 'en'>, () => Promise<{ default: unknown }>> = {
  hi: () => import('./console/hi.json'),
  ar: () => import('./console/ar.json'),
  sw: () => import('./console/sw.json'),
}

/** A language that cannot be loaded leaves the English of the sources. */
export async function loadTexts(language: Language): Promise<Record<string, string | Forms>> {
  if (language === 'en') return {}
  return (await files[language]().catch(() => ({ default: {} }))).default as Record<string, string | Forms>
}
