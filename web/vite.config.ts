import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressAssets } from './compress.ts'

/** While the console is worked on: `NMP_API=http://127.0.0.1:8080 vite web`, beside a program whose NMP_PUBLIC_URL is vite's address. */
const api = process.env.NMP_API ?? 'http://127.0.0.1:8080'
const served = ['/api', '/oidc', '/sign-in', '/account', '/password', '/device', '/invite', '/docs', '/openapi.json']

// biome-ignore lint/style/noDefaultExport: vite reads its settings from the default export
export default defineConfig({
  plugins: [react(), compressAssets()],
  build: { target: 'es2023', sourcemap: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { proxy: Object.fromEntries(served.map((path) => [path, { target: api, xfwd: false }])) },
})
