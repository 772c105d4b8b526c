// Prints what the console's first page loads, compressed, and fails when that is more than a slow line should have to carry.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const limit = 300 * 1024
const dist = new URL('../dist/', import.meta.url)
const packed = (name) => gzipSync(readFileSync(new URL(name, dist)), { level: 9 }).length

const first = new Set(['index.html'])
const follow = (text) => {
  for (const [, name] of text.matchAll(/(?:href|src)="\/console\/([^"]+)"/g)) add(name)
}
const add = (name) => {
  if (first.has(name)) return
  first.add(name)
  if (!name.endsWith('.js')) return
  const text = readFileSync(new URL(name, dist), 'utf8')
  for (const [, other] of text.matchAll(/(?:^|[;}\s])import(?:[^"'()]*?from)?\s*["']\.\/([^"']+)["']/g)) add(other)
}
follow(readFileSync(new URL('index.html', dist), 'utf8'))

let total = 0
for (const name of [...first].sort()) {
  const size = packed(name)
  total += size
  console.log(`${(size / 1024).toFixed(1).padStart(8)} kB  ${name}`)
}
const whole = readdirSync(dist).reduce((sum, name) => sum + packed(name), 0)
console.log(
  `${(total / 1024).toFixed(1).padStart(8)} kB  first load, of at most ${limit / 1024} kB (everything: ${(whole / 1024).toFixed(1)} kB), gzip`,
)
if (total > limit) {
  console.error('The first load is too large.')
  process.exit(1)
}
