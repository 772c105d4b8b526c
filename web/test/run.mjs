// Plays stories in one browser. Every line of the input is one, {id, story, stage}: it is played at once, beside the others,
// and the output has a line for each thing it says and one when it is over.
import { createInterface } from 'node:readline'
import { closeBrowser, lineTo } from './browser.mjs'

const latency = Number(process.env.LINE ?? 0) // LINE=300 plays every story on a line of 300 ms

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

async function play({ id, story, stage }) {
  const began = Date.now()
  const say = (text) => tell({ id, said: `${((Date.now() - began) / 1000).toFixed(1)} s: ${text}` })
  const line = latency > 0 && (await lineTo(stage.url, latency))
  try {
    const { default: tale } = await import(`./${story}.mjs`)
    await tale({ ...stage, ...(line && { url: line.url }), story, say })
    say('done')
    tell({ id, over: true })
  } catch (e) {
    const at = String(e.stack)
      .split('\n')
      .filter((l) => l.startsWith('    at '))
    tell({ id, over: true, error: [e.message, ...at].join('\n') })
  } finally {
    if (line) await line.cut()
  }
}

for await (const line of createInterface({ input: process.stdin })) void play(JSON.parse(line))
await closeBrowser() // whoever asked is gone
process.exit()
