import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'rolldown'

/** The published form: one file of plain JavaScript with the SDK in it, for any Node from 20.3 on. */
const target = join(import.meta.dirname, 'dist', 'nmp.mjs')
await build({
  input: join(import.meta.dirname, 'src', 'main.ts'),
  platform: 'node',
  logLevel: 'warn',
  transform: { target: 'node20' },
  output: { file: target, format: 'esm', banner: '#!/usr/bin/env node', codeSplitting: false },
})
await chmod(target, 0o755)
