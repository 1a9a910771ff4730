import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { probeSandbox } from '@nmp/formats/child/probe'
import { expect } from 'vitest'
import { testWhere } from '../../../fixtures/test-where.ts'
import { startWithoutLandlock } from '../../../formats/test/without-landlock.ts'

const isWhole = (await probeSandbox()).length === 0
const cacheFolder = getCompileCacheDir()
const codeCache = cacheFolder ? { NODE_COMPILE_CACHE: dirname(cacheFolder) } : {}
const main = fileURLToPath(new URL('../main.ts', import.meta.url))

testWhere(isWhole)(
  'the program does not start without a sandbox that is required, and says what is missing',
  async () => {
    const child = startWithoutLandlock([process.execPath, main], { ...codeCache, NMP_SANDBOX: 'require' })
    const said = text(child.stderr)
    expect(await once(child, 'exit')).toEqual([1, null])
    expect(await said).toMatch(/^nmp did not start\. NMP_SANDBOX is "require", and .* without Landlock \(Linux 5\.13/m)
  },
)

testWhere(isWhole)('what is missing is told, and parsers go on with the rest', async () => {
  const script = `
    import { probeSandbox } from ${JSON.stringify(import.meta.resolve('@nmp/formats/child/probe'))}
    console.log(JSON.stringify(await probeSandbox()))`
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  const child = startWithoutLandlock(command, codeCache)
  expect(JSON.parse(await text(child.stdout))).toEqual([expect.stringContaining('Landlock')])
})
