import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

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

// Names carry the hash of what is in the file, so that a browser never asks again for one that it has. Styles are one file: a
// page's own that failed to load would not be asked for again with the page's script.
export default defineConfig({
  base: '/console/',
  plugins: [react()],
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
        manualChunks(id: string) {
          if (/node_modules\/(react|react-dom|scheduler)\//.test(id)) return 'react'
          if (/node_modules\/@tanstack\//.test(id)) return 'tanstack'
          if (/node_modules\/@mantine\/charts\//.test(id)) return undefined // with the page that draws them
          if (/node_modules\/(@mantine|@floating-ui|react-number-format|react-remove-scroll)/.test(id)) return 'mantine'
          return undefined
        },
      },
    },
  },
  server,
})
