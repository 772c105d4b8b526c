import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// File names are the same from build to build: the built files are committed, and a change shows as a change.
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: 'console.js',
        chunkFileNames: 'part-[name].js',
        assetFileNames: '[name][extname]',
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
  server: {
    proxy: Object.fromEntries(
      ['/auth', '/school-admin', '/super-admin', '/bus-tracking', '/socket.io', '/dev'].map((p) => [
        p,
        { target: 'http://127.0.0.1:3001', ws: p === '/socket.io' },
      ]),
    ),
  },
})
