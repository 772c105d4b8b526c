// Packs the scripts and styles of web/dist: the program carries each once, as browsers take it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

const dist = new URL('../dist/', import.meta.url)
for (const name of readdirSync(dist, { recursive: true })) {
  if (!/\.(js|css)$/.test(name)) continue
  const file = new URL(name, dist)
  writeFileSync(`${file.pathname}.br`, brotliCompressSync(readFileSync(file)))
  rmSync(file)
}
