// The words of the console. English stands in the sources and is the key by which a file for each other language has its own;
// scripts/messages.mjs fails when one lacks a text, or when words stand in the console's sources without t().
import { createElement, Fragment, type ReactNode } from 'react'
import { loadTexts } from './console-texts'
import { declare, type Forms, formOf, isolated, keepChoice, type Language, place, preferred } from './language'

type Value = string | number | false | null | undefined

/** The language of this page: another one is chosen by loading it anew, so that lists of words may be made once. */
export const language = preferred()
const texts = await loadTexts(language) // before any other module of the console runs
const plurals = new Intl.PluralRules(language)
declare(language)

export function choose(next: Language) {
  keepChoice(next)
  window.location.reload()
}

const said = (text: string | Forms, count: Value) =>
  formOf(texts[typeof text === 'string' ? text : text.other!] ?? text, count, plurals)!

/** A text with its places filled in. One with forms has the form of its count; its key is the form for many. */
export const t = (text: string | Forms, values?: Record<string, Value>): string =>
  values
    ? said(text, values.count).replace(place, (_, name: string) => {
        const value = values[name]
        return isolated(value || value === 0 ? String(value) : '', language)
      })
    : said(text, 0) // braces without values are words: {name} in a template of a message

/** The same where a place is more than text: a link, a name in bold. */
export const rich = (text: string | Forms, values: Record<string, ReactNode>): ReactNode =>
  createElement(
    Fragment,
    null,
    ...said(text, values.count as Value)
      .split(place)
      .map((part, i) => {
        const value = i % 2 ? values[part] : part
        return i % 2 && typeof value === 'string' ? isolated(value, language) : value
      }),
  )

/** The words for what is made of a value of the API, if the language has them. */
export const known = (english: string): string => formOf(texts[english], 0, plurals) ?? english
