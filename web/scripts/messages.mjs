// Fails when a language lacks a text, one of its places or a plural form, when a text is used nowhere or used and not there, or
// when words stand in the sources of the app instead of in the catalogue.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../src/', import.meta.url))
const languages = readdirSync(`${root}messages`)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -5))
const catalogue = Object.fromEntries(
  languages.map((l) => [l, JSON.parse(readFileSync(`${root}messages/${l}.json`, 'utf8'))]),
)
const wrong = []

const placesOf = (text) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name)
    .sort()
    .join()
const formsOf = (text) => (typeof text === 'string' ? { text } : text)
for (const [key, text] of Object.entries(catalogue.en)) {
  const places = placesOf(Object.values(formsOf(text))[0])
  for (const l of languages) {
    const theirs = catalogue[l][key]
    if (theirs === undefined) {
      wrong.push(`${l}.json has no text ${key}`)
      continue
    }
    if (typeof theirs !== typeof text)
      wrong.push(`${l}.json: ${key} has forms by number in one language and not in another`)
    if (typeof theirs !== 'string')
      for (const form of new Intl.PluralRules(l).resolvedOptions().pluralCategories)
        if (!theirs[form]) wrong.push(`${l}.json: ${key} has no form ${form}, which the language needs`)
    for (const [form, its] of Object.entries(formsOf(theirs))) {
      if (its.trim() === '') wrong.push(`${l}.json: ${key} (${form}) is empty`)
      if (placesOf(its) !== places)
        wrong.push(`${l}.json: ${key} (${form}) has the places {${placesOf(its)}}, not {${places}}`)
    }
  }
}
for (const l of languages)
  for (const key of Object.keys(catalogue[l]))
    if (!(key in catalogue.en)) wrong.push(`${l}.json has a text ${key} that en.json has not`)

// Words are what has two letters in a row; attributes that nobody reads or hears may have them.
const spoken = new Set([
  'alt',
  'aria-label',
  'aria-description',
  'label',
  'placeholder',
  'title',
  'text',
  'hint',
  'note',
  'name',
  'error',
])
const isWords = (text) => /\p{L}{2}/u.test(text)
const sources = readdirSync(`${root}app`, { recursive: true }).filter((name) => /\.tsx?$/.test(name))
const all = []
for (const name of sources) {
  const text = readFileSync(path.join(root, 'app', name), 'utf8')
  all.push(text)
  const source = ts.createSourceFile(
    name,
    text,
    ts.ScriptTarget.Latest,
    true,
    name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  )
  const say = (node, words) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart())
    wrong.push(`src/app/${name}:${line + 1} says ${JSON.stringify(words.trim())}: put it into the catalogue`)
  }
  const visit = (node) => {
    if (ts.isJsxText(node) && isWords(node.text)) say(node, node.text)
    if (
      ts.isJsxAttribute(node) &&
      spoken.has(node.name.getText()) &&
      node.initializer &&
      ts.isStringLiteral(node.initializer)
    )
      if (isWords(node.initializer.text)) say(node, node.initializer.text)
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && node.expression) {
      const e = node.expression
      for (const part of ts.isConditionalExpression(e) ? [e.whenTrue, e.whenFalse] : [e])
        if (ts.isStringLiteralLike(part) && isWords(part.text)) say(part, part.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}
const used = all.join('\n')
for (const key of Object.keys(catalogue.en)) {
  const family = key.slice(0, key.lastIndexOf('.') + 1)
  if (!used.includes(`'${key}'`) && !used.includes(`"${key}"`) && !used.includes(`\`${family}\${`))
    wrong.push(`en.json: ${key} is used nowhere`)
}

for (const sentence of wrong) console.error(sentence)
process.exit(wrong.length > 0 ? 1 : 0)
