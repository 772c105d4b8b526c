// Unpacks what pack.mjs packed, in the folder that it is given.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const folder = process.argv[2]
for (const name of readdirSync(folder, { recursive: true })) {
  if (!name.endsWith('.br')) continue
  const file = path.join(folder, name)
  writeFileSync(file.slice(0, -'.br'.length), brotliDecompressSync(readFileSync(file)))
  rmSync(file)
}
