// Fails when a language lacks a text, one of its places or a plural form, when a text is used nowhere or used and not there, or
// when words stand in the sources of the app instead of in the catalogue, or in those of the console without t().
// With --keys it prints the English texts of the console, which a file for another language has as its keys.
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
const openapi = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))

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

// The console: its English is in the sources, as the first argument of t() and rich().
const texts = new Map() // key → English
const shown = new Set([
  ...spoken,
  ...['description', 'action', 'example', 'heading', 'caption', 'message', 'summary', 'header', 'what', 'head', 'of'],
])
shown.delete('name')
// What is no word of a language: names of columns, keys of a keyboard, what people type as an example.
const isName = (text) => ['Homeroom', 'WhatsApp'].includes(text) || /^\S*[@/_.=]\S*$/.test(text.trim())
const folders = ['pages', 'patterns', 'shell', 'map', 'routes.tsx', 'main.tsx', 'theme.ts', 'api/client.ts']
const consoleFiles = folders.flatMap((at) =>
  /\.tsx?$/.test(at)
    ? [at]
    : readdirSync(root + at, { recursive: true })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => `${at}/${name}`),
)
for (const name of consoleFiles) {
  const source = ts.createSourceFile(
    name,
    readFileSync(root + name, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  )
  const speaks = name.startsWith('api/') ? ['say'] : ['t', 'rich']
  const at = (node) => `src/${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
  const bare = (node, text) => {
    if (isWords(text) && !isName(text)) wrong.push(`${at(node)} says ${JSON.stringify(text.trim())}: put it into t()`)
  }
  const literal = (node) => node && ts.isStringLiteralLike(node) && node.text
  /** What an expression may say: both sides of a choice. */
  const said = (node) => {
    if (ts.isStringLiteralLike(node)) bare(node, node.text)
    else if (ts.isTemplateExpression(node))
      bare(node, [node.head.text, ...node.templateSpans.map((s) => s.literal.text)].join(' '))
    else if (ts.isParenthesizedExpression(node)) said(node.expression)
    else if (ts.isConditionalExpression(node)) for (const part of [node.whenTrue, node.whenFalse]) said(part)
    else if (ts.isBinaryExpression(node) && ['&&', '||', '??'].includes(node.operatorToken.getText())) said(node.right)
  }
  const isSpoken = (node) => ts.isCallExpression(node) && speaks.includes(node.expression.getText())
  const visit = (node) => {
    if (ts.isJsxElement(node) && ['code', 'kbd'].includes(node.openingElement.tagName.getText())) return
    if (ts.isCallExpression(node) && speaks.includes(node.expression.getText())) {
      const [first, values] = node.arguments
      const forms = ts.isObjectLiteralExpression(first)
        ? Object.fromEntries(first.properties.map((p) => [p.name.getText(), literal(p.initializer)]))
        : literal(first)
      if (forms === false || forms === undefined || (typeof forms === 'object' && !forms.other)) {
        wrong.push(`${at(node)}: t() takes a text as it is, not ${first.getText()}`)
      } else {
        texts.set(typeof forms === 'string' ? forms : forms.other, forms)
        const given =
          values && ts.isObjectLiteralExpression(values) ? values.properties.map((p) => p.name.getText()) : null
        for (const text of Object.values(formsOf(forms)))
          for (const [, its] of text.matchAll(/\{(\w+)\}/g))
            if (given && !given.includes(its)) wrong.push(`${at(node)}: the place {${its}} has no value`)
      }
      for (const part of node.arguments.slice(1)) visit(part)
      return
    }
    if (ts.isJsxText(node)) bare(node, node.text)
    // What is said where there is nothing else to say.
    if (
      ts.isBinaryExpression(node) &&
      ['||', '??'].includes(node.operatorToken.getText()) &&
      / /.test(literal(node.right))
    )
      said(node.right)
    // Where one side of a choice is spoken, the other is; and what joins words is a word.
    if (ts.isConditionalExpression(node) && [node.whenTrue, node.whenFalse].some(isSpoken)) said(node)
    if (ts.isCallExpression(node) && /\.join$/.test(node.expression.getText()) && node.arguments.length > 0)
      said(node.arguments[0])
    if (ts.isJsxAttribute(node) && shown.has(node.name.getText()) && node.initializer)
      said(ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer)
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent) && node.expression) said(node.expression)
    if (
      ts.isPropertyAssignment(node) &&
      ['label', 'title', 'text', 'message', 'description'].includes(node.name.getText())
    )
      said(node.initializer)
    ts.forEachChild(node, visit)
  }
  visit(source)
}
// The values of the API are words too (words() in patterns/format.ts), but for the codes of refusals: those come with a message.
const refusals = openapi.components.schemas.ErrorCode
const ofApi = (part) => {
  for (const code of part?.enum ?? [])
    if (/^[A-Z][A-Z_]+$/.test(code)) {
      const text = code[0] + code.slice(1).toLowerCase().replaceAll('_', ' ')
      if (!texts.has(text)) texts.set(text, text)
    }
  if (part && typeof part === 'object') for (const inner of Object.values(part)) if (inner !== refusals) ofApi(inner)
}
ofApi(openapi)
// So are the service's titles of modules, of roles and of what a webhook is sent, and what the audit log calls acts and things.
const service = fileURLToPath(new URL('../../', import.meta.url))
const titles = /\b(?:Key|Kind): "[^"]+", Title: "([^"]+)"|^\t\{api\.\w+, "([^"]+)"\}/gm
const acts =
  /\b(?:Changed|Book|SchoolEntry)\("([a-z -]+)", "([a-z -]+)"|\b(?:AuditRow|AuditFailure|AuditSessionEnd|WriteAudit|storePassword)\(c, [^"\n]*"([^"]+)"|\bturn\(c, "([^"]+)"|\bapi\.(?:Insert|Update|UpdateLocked)\(c, "([^"]+)"|\bChanged\("[a-z ]+", "([a-z]+_[a-z]+)"|^const linked = "([^"]+)"/gm
const ofService = new Set(['session', ...['password', 'otp', 'pin', 'sso', 'switch'].map((way) => `sign-in by ${way}`)])
for (const folder of ['modules', 'auth', 'rbac'])
  for (const name of readdirSync(service + folder, { recursive: true }).filter((name) =>
    /(?<!_test)\.go$/.test(name),
  )) {
    const source = readFileSync(path.join(service, folder, name), 'utf8')
    for (const [, ...found] of source.matchAll(titles)) ofService.add(found.find(Boolean))
    for (const [, ...found] of source.matchAll(acts))
      for (const text of found) if (text && !text.endsWith(' ')) ofService.add(text.toLowerCase().replaceAll('_', ' '))
  }
for (const text of ofService) {
  const shown = text[0].toUpperCase() + text.slice(1)
  if (!texts.has(shown)) texts.set(shown, shown)
}
// And the names of fields, as the audit log and refusals say them (fieldWord() of patterns/words.ts). Most are never shown: one that
// a language has a word for needs one in each.
const theirTexts = Object.fromEntries(
  languages
    .filter((l) => l !== 'en')
    .map((l) => [l, JSON.parse(readFileSync(`${root}messages/console/${l}.json`, 'utf8'))]),
)
const fieldWord = (name) => {
  const bare = name
    .replace(/^is(?=[A-Z])/, '')
    .replace(/(?<!^first|^last|^)Name$/, '')
    .replace(/Ids?$/, '')
  const text = bare
    .replace(/([A-Z])/g, ' $1')
    .replaceAll('_', ' ')
    .trim()
    .toLowerCase()
  return (text.slice(0, 1).toUpperCase() + text.slice(1))
    .replace(/\b(sms|isbn)\b/i, (s) => s.toUpperCase())
    .replace(/^Whats app/, 'WhatsApp')
}
const ofFields = (part) => {
  for (const name of Object.keys(part?.properties ?? {})) {
    const text = fieldWord(name)
    if (Object.values(theirTexts).some((those) => those[text]) && !texts.has(text)) texts.set(text, text)
  }
  if (part && typeof part === 'object') for (const inner of Object.values(part)) ofFields(inner)
}
ofFields(openapi.components)
if (process.argv.includes('--keys')) console.log(JSON.stringify([...texts.keys()].sort(), null, 1))
for (const l of languages.filter((l) => l !== 'en')) {
  const theirs = theirTexts[l]
  const file = `console/${l}.json`
  for (const [key, forms] of texts) {
    const its = theirs[key]
    if (its === undefined) {
      wrong.push(`${file} has no text for ${JSON.stringify(key)}`)
      continue
    }
    if (typeof its !== 'string')
      for (const form of new Intl.PluralRules(l).resolvedOptions().pluralCategories)
        if (!its[form]) wrong.push(`${file}: ${key} has no form ${form}, which the language needs`)
    // A form for one, two or none may leave the number out.
    for (const [form, text] of Object.entries(formsOf(its))) {
      const lacks = typeof its === 'string' || ['few', 'many', 'other'].includes(form)
      const has = placesOf(text).split(',').filter(Boolean)
      const needs = placesOf(key).split(',').filter(Boolean)
      if (text.trim() === '') wrong.push(`${file}: ${key} (${form}) is empty`)
      if (has.some((p) => !needs.includes(p)) || (lacks && needs.some((p) => !has.includes(p))))
        wrong.push(`${file}: ${key} (${form}) has the places {${has}}, not {${needs}}`)
    }
    if (typeof its !== 'string' && typeof forms === 'string')
      wrong.push(`${file}: ${key} has forms by number, and English has none`)
  }
  for (const key of Object.keys(theirs))
    if (!texts.has(key)) wrong.push(`${file} has a text that nothing shows: ${key}`)
}

for (const sentence of wrong) console.error(sentence)
process.exitCode = wrong.length > 0 ? 1 : 0
