#!/usr/bin/env node
// Runs the command on Node 24 or newer: this one, or the one that `npm ci` brings into a checkout on Linux.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [major] = process.versions.node.split('.').map(Number)
const words = process.argv.slice(2)
const brought = fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))

if (major >= 24) {
  const { runCommand } = await import('../src/command/main.ts')
  process.exitCode = await runCommand(words)
} else if (existsSync(brought) && realpathSync(brought) !== realpathSync(process.execPath)) {
  const child = spawn(brought, [fileURLToPath(import.meta.url), ...words], { stdio: 'inherit' })
  // Ctrl-C reaches the child by itself, as it is of the same terminal.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill())
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 1 : (code ?? 1)
  })
} else {
  process.stderr.write(
    `nmp-formats needs Node 24 or newer, this is ${process.version}. In a checkout of nmp on Linux, npm ci brings it.\n`,
  )
  // `nmp check` tells by this code that nothing was checked.
  process.exitCode = 69
}
