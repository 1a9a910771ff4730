// Preloaded by every npm script. On linux `npm ci` brings Node 24 where it is missing; elsewhere the installed one must be new enough to
// run TypeScript as it is.
const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `nmp needs Node 24 or newer, this is ${process.version}. ` +
      'On linux run `node bring.mjs runtime`, which `npm ci` does unless it is told to ignore scripts; on macOS install Node 24.\n',
  )
  process.exit(1)
}
// Types are stripped and code is compiled once: every later start, and every process that one starts, takes half the time. Where nobody
// may write there, nothing is kept.
const { enableCompileCache } = await import('node:module')
enableCompileCache(`${import.meta.dirname}/node_modules/.cache/code`)
