import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { first, firstScript, server } from './vite.config.ts'

const root = fileURLToPath(new URL('./src/app/', import.meta.url))

/** Writes sw.js with the names of all parts of this build: other parts are another worker, which is how an update is seen. */
function worker(): Plugin {
  return {
    name: 'homeroom-worker',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const parts = Object.keys(bundle)
        .filter((name) => name !== 'index.html')
        .sort()
      const build = createHash('sha256').update(parts.join()).digest('hex').slice(0, 12)
      const source = readFileSync(`${root}sw.js`, 'utf8')
        .replace('__PARTS__', JSON.stringify(parts))
        .replace('__BUILD__', build)
      this.emitFile({ type: 'asset', fileName: 'sw.js', source })
    },
  }
}

/** What the console and the app share has no words of its own: the console's would come with them, in every language. */
const noConsoleWords: Plugin = {
  name: 'homeroom-no-console-words',
  load(id) {
    if (id.endsWith('/messages/console.ts')) throw new Error('The app would have the words of the console.')
    return null
  },
}

// The people's app, beside the console (vite.config.ts) and with none of its weight.
export default defineConfig({
  root,
  base: '/app/',
  plugins: [react(), firstScript('/app/'), worker(), noConsoleWords],
  build: {
    target: 'es2022',
    outDir: fileURLToPath(new URL('./dist/app', import.meta.url)),
    emptyOutDir: true,
    sourcemap: false,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: 'app-[hash].js',
        chunkFileNames: 'part-[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
        manualChunks(id: string) {
          if (first.test(id)) return 'first'
          if (/node_modules\/(react|react-dom|scheduler)\//.test(id)) return 'react'
          return undefined
        },
      },
    },
  },
  server,
})
