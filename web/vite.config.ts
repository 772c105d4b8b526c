import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The service beside which `npm run dev` serves the sources. */
export const server = {
  proxy: Object.fromEntries(
    [
      '/auth',
      '/school-admin',
      '/super-admin',
      '/parent',
      '/teacher',
      '/driver',
      '/bus-tracking',
      '/socket.io',
      '/dev',
    ].map((p) => [p, { target: 'http://127.0.0.1:3001', ws: p === '/socket.io' }]),
  ),
}

/** What runs before the rest of the script has come, in a file of its own. */
export const first =
  /src\/((app\/)?first|api\/(first|account|home)|office-pages|messages\/(console-texts|texts|language))\.ts$|preload-helper/

/** Has the page run that file as soon as it is there, before the rest has come. */
export const firstScript = (base: string): Plugin => ({
  name: 'homeroom-first-script',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_, { bundle }) {
      const file = Object.keys(bundle!).find((name) => name.startsWith('part-first-'))
      const attrs = { type: 'module', async: true, crossorigin: true, fetchpriority: 'high', src: `${base}${file}` }
      return [{ tag: 'script', attrs, injectTo: 'head-prepend' }]
    },
  },
})

// What neither the frame nor signing in shows: it comes with the first page that does.
const controls =
  'core/esm/components/(Badge|Checkbox|Chip|Combobox|Divider|Drawer|FloatingIndicator|Image|NativeSelect|NumberInput|' +
  'Pagination|Paper|Progress|Radio|SegmentedControl|Select|SimpleGrid|Slider|Switch|Table|Tabs|Textarea|ThemeIcon)/'

// Names carry the hash of what is in the file, so that a browser never asks again for one that it has. Styles are one file: a
// page's own that failed to load would not be asked for again with the page's script.
export default defineConfig({
  base: '/console/',
  plugins: [react(), firstScript('/console/')],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: 'console-[hash].js',
        chunkFileNames: 'part-[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
        codeSplitting: {
          groups: [
            { name: 'first', test: first, priority: 4 },
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\//, priority: 3 },
            { name: 'tanstack', test: /node_modules\/@tanstack\//, priority: 2 },
            // Not the charts: they come with the page that draws them.
            {
              name: 'mantine',
              test: new RegExp(
                `node_modules/(@mantine/(?!charts/|core/esm/index|${controls})|@floating-ui|react-remove-scroll)`,
              ),
              priority: 2,
            },
            {
              name: 'controls',
              test: new RegExp(`node_modules/(@mantine/${controls}|react-number-format)`),
              priority: 1,
            },
            // With what they need. Left alone, what waits for the person's language would be a file for each of its parts.
            { name: 'frame', test: /src\/(routes\.tsx|theme\.ts)$/ },
            // Each alone would be a file, of which a page needs twenty: a file takes a slow machine longer than what is in it.
            { name: 'common', test: /node_modules\/@tabler\/|src\/patterns\//, minShareCount: 5 },
          ],
        },
      },
    },
  },
  server,
})
