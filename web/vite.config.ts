import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressAssets } from './compress.ts'
import { preloadDrawing } from './preload-drawing.ts'

/** While the console is worked on: `NMP_API=http://127.0.0.1:8080 vite web`, beside a program whose NMP_PUBLIC_URL is vite's address. */
const api = process.env.NMP_API ?? 'http://127.0.0.1:8080'
const served = ['/api', '/oidc', '/sign-in', '/account', '/password', '/device', '/invite', '/docs', '/openapi.json']

/**
 * Over HTTP/1.1 a browser asks for six files at a time: a page of forty pieces, most of them under a kilobyte, has its own requests
 * wait behind its scripts. What pages share comes in pieces of a size that is worth a request.
 */
const codeSplitting = {
  groups: [
    { name: 'first', tags: ['$initial'], priority: 2 },
    { name: 'shared', minShareCount: 2, priority: 1, entriesAware: true, entriesAwareMergeThreshold: 24_000 },
  ],
}

/** A shared piece would be named after every page that has it. */
const nameOf = (name = '[name]'): string => (name.startsWith('shared~') ? 'shared' : '[name]')
const chunkFileNames = ({ name }: { name: string }): string => `assets/${nameOf(name)}-[hash].js`
const assetFileNames = ({ names: [name] }: { names: string[] }): string => `assets/${nameOf(name)}-[hash][extname]`

// biome-ignore lint/style/noDefaultExport: vite reads its settings from the default export
export default defineConfig({
  plugins: [react(), compressAssets(), preloadDrawing()],
  build: {
    target: 'es2023',
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting, chunkFileNames, assetFileNames } },
  },
  server: { proxy: Object.fromEntries(served.map((path) => [path, { target: api, xfwd: false }])) },
})
