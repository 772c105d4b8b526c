// Where the app's texts are, in a file for each language.
import type { Language } from './language'

const files: Record<Language, () => Promise<{ default: unknown }>> = {
  en: () => import('./en.json'),
  hi: () => import('./hi.json'),
  ar: () => import('./ar.json'),
  sw: () => import('./sw.json'),
}

export const loadTexts = async (language: Language) => (await files[language]()).default
