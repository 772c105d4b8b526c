// Fails when a page is imported by another file than the routes, or when something is exported that no other file uses.
// A page is a file that src/routes.tsx or src/office-pages.ts imports; what pages share is beside them in the folder of their area, or in patterns/.
// Fails too when src/mantine.css lacks the styles of something of Mantine's that is used.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../src/', import.meta.url))
const files = new Map(
  readdirSync(root, { recursive: true })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
    .map((name) => [name, readFileSync(path.join(root, name), 'utf8')]),
)
const importsOf = (name) =>
  [...files.get(name).matchAll(/(?:from|import\(?) ?'(\.[^']+)'/g)].map(([, to]) => path.join(path.dirname(name), to))
const users = (name) =>
  [...files].filter(([other]) => importsOf(other).includes(name.replace(/\.tsx?$/, ''))).map(([, text]) => text)
const routes = ['routes.tsx', 'office-pages.ts']
const isPage = new Set(routes.flatMap(importsOf).filter((to) => to.startsWith('pages/')))
const wrong = []
for (const [name, text] of files) {
  if (!routes.includes(name) && name !== 'main.tsx')
    for (const to of importsOf(name))
      if (isPage.has(to))
        wrong.push(`src/${name} imports the page src/${to}: move what they share to a file of its own, or to patterns/`)
  const exported = /^export (?:default )?(?:async )?(?:function|const|class|interface|type) (\w+)/gm
  for (const [, word] of text.matchAll(exported))
    if (!users(name).some((its) => new RegExp(`\\b${word}\\b`).test(its)))
      wrong.push(`src/${name} exports ${word}, which no other file uses`)
}

// What Mantine makes a component of has styles of its own: Drawer is a ModalBase with a CloseButton.
const mantine = fileURLToPath(new URL('../node_modules/@mantine/core/', import.meta.url))
const styles = readFileSync(path.join(root, 'mantine.css'), 'utf8')
const seen = new Set(['Notification']) // of @mantine/notifications
for (const [, text] of files)
  for (const [, names] of text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g))
    for (const name of names.match(/\w+/g) ?? []) seen.add(name)
for (const name of seen) {
  const folder = ['components', 'utils'].map((at) => `${mantine}esm/${at}/${name}`).find((at) => existsSync(at))
  if (!folder) continue
  if (existsSync(`${mantine}styles/${name}.css`) && !styles.includes(`/${name}.css'`))
    wrong.push(`src/mantine.css lacks the styles of ${name}`)
  for (const file of readdirSync(folder, { recursive: true }))
    if (file.endsWith('.mjs'))
      for (const [, to] of readFileSync(path.join(folder, file), 'utf8').matchAll(/from ?["'](\.[^"']+)["']/g)) {
        const [at, other] = path.relative(`${mantine}esm`, path.join(folder, path.dirname(file), to)).split(path.sep)
        if (at === 'components' || at === 'utils') seen.add(other)
      }
}
for (const sentence of wrong.sort()) console.error(sentence)
process.exit(wrong.length > 0 ? 1 : 0)
