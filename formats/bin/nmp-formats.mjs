#!/usr/bin/env node
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(`nmp-formats needs Node 24 or newer, this is ${process.version}.\n`)
  process.exit(1)
}
const { runCommand } = await import('../src/command/main.ts')
process.exitCode = await runCommand(process.argv.slice(2))
