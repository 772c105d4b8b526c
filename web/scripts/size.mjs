// Prints what the first page of the console and of the app loads, compressed, and fails when that is more than a slow line
// should have to carry. Of the app everything counts that its first screen shows: a language, and the page.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

function weigh(what, folder, base, limit, also = []) {
  const dist = pathToFileURL(`${path.resolve(folder)}/`)
  const read = (name) => {
    const file = new URL(name, dist)
    return existsSync(file) ? readFileSync(file) : brotliDecompressSync(readFileSync(new URL(`${name}.br`, dist)))
  }
  const packed = (name) => brotliCompressSync(read(name)).length
  const files = readdirSync(dist, { withFileTypes: true })
    .filter((f) => f.isFile())
    .map((f) => f.name.replace(/\.br$/, ''))

  const first = new Set(['index.html'])
  const add = (name) => {
    if (first.has(name)) return
    first.add(name)
    if (!name.endsWith('.js')) return
    const text = read(name).toString()
    for (const [, other] of text.matchAll(/(?:^|[;}\s])import(?:[^"'()]*?from)?\s*["']\.\/([^"']+)["']/g)) add(other)
  }
  const page = read('index.html').toString()
  for (const [, name] of page.matchAll(new RegExp(`(?:href|src)="${base}([^"]+)"`, 'g')))
    if (files.includes(name)) add(name)
  for (const part of also) {
    const found = files.filter((name) => new RegExp(`^part-${part}-[\\w-]{8}\\.js$`).test(name))
    if (found.length === 0) throw new Error(`${folder} has no part ${part}`)
    // Of several with the same name the largest is meant.
    add(found.sort((a, b) => packed(b) - packed(a))[0])
  }

  let total = 0
  for (const name of [...first].sort()) {
    const size = packed(name)
    total += size
    console.log(`${(size / 1024).toFixed(1).padStart(8)} kB  ${name}`)
  }
  const whole = files.reduce((sum, name) => sum + packed(name), 0)
  console.log(
    `${(total / 1024).toFixed(1).padStart(8)} kB  first load of the ${what}, of at most ${limit} kB ` +
      `(everything: ${(whole / 1024).toFixed(1)} kB), br`,
  )
  if (total <= limit * 1024) return
  console.error(`The first load of the ${what} is too large.`)
  process.exitCode = 1
}

const built = process.argv[2] ?? 'dist' // the folder, packed or not yet
weigh('console', built, '/console/', 300)
weigh('app', `${built}/app`, '/app/', 150, ['en', 'today'])
