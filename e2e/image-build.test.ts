import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { layOutImage } from './other-checkouts.ts'
import { type CommandResult, cleanUp } from './program.ts'

afterAll(cleanUp)

const build = (folder: string, script: string): Promise<CommandResult> =>
  new Promise((resolve) =>
    execFile(
      'npm',
      ['run', '-s', script],
      { cwd: folder, timeout: 120_000, maxBuffer: 1 << 24 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    ),
  )

test('a build of the image has the files that the console is made of; one that fails says why and ends with 1', async () => {
  const whole = await layOutImage('bill')
  expect(existsSync(join(whole, 'server', 'test'))).toBe(false)
  const folder = await layOutImage('console')
  // A change of the server leaves the console that is built already.
  expect(existsSync(join(folder, 'server'))).toBe(false)
  expect(await build(folder, 'build')).toMatchObject({ code: 0 })
  expect(existsSync(join(folder, 'web', 'dist', 'index.html'))).toBe(true)
  const bill = await build(whole, 'sbom')
  expect(JSON.parse(bill.stdout)).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'nmp' } } })
  await rm(join(folder, 'tsconfig.json'))
  await rm(join(folder, 'web', 'dist'), { recursive: true })
  const failed = await build(folder, 'build')
  expect(failed.code).toBe(1)
  expect(failed.stderr).toMatch(/The console could not be built: .*tsconfig/s)
  expect(failed.stderr).not.toContain('ENOENT')
  const started = await build(folder, 'prestart')
  expect(started.code).toBe(0)
  expect(started.stderr).toContain('The API starts without a console.')
})
