import { spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'

/** A checkout whose `npm` and lanes are the given scripts, so that `.ci/run` itself can be looked at. */
const folders: string[] = []
const makeCheckout = (scripts: Record<string, string>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'nmp-ci-'))
  folders.push(folder)
  mkdirSync(join(folder, '.ci'))
  // As `npm ci` leaves it.
  mkdirSync(join(folder, 'node_modules'))
  if (!scripts.install) writeFileSync(join(folder, 'node_modules', '.package-lock.json'), '{}')
  for (const name of ['run', 'lane', 'count']) copyFileSync(join(import.meta.dirname, name), join(folder, '.ci', name))
  const lanes = readdirSync(import.meta.dirname).filter(
    (name) => !['run', 'lane', 'count', 'run.test.ts'].includes(name),
  )
  for (const name of ['npm', ...lanes]) {
    const path = join(folder, '.ci', name)
    writeFileSync(path, `#!/usr/bin/env bash\n. "$(dirname "$0")/lane"\n${scripts[name] ?? 'write_report x 1 0 0'}\n`)
    chmodSync(path, 0o755)
  }
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const run = async (folder: string, whenSaid?: { words: string; signal: NodeJS.Signals }) => {
  const child = spawn('bash', ['-c', 'exec .ci/run 2>&1'], {
    cwd: folder,
    env: { PATH: `${join(folder, '.ci')}:${process.env.PATH}`, HOME: process.env.HOME, FORCE_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (whenSaid)
    child.stdout.on('data', (piece: Buffer) => {
      if (piece.includes(whenSaid.words)) child.kill(whenSaid.signal)
    })
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  const said = await text(child.stdout)
  return { said, last: said.split('\n').at(-2), end: said.at(-1), code: await ended }
}

const count = (last: string | undefined) => {
  const [, passed, failed, skipped] = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(last ?? '') ?? []
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }
}

const vitestReport = `cat >"$NMP_REPORTS/vitest-1.xml" <<'END'
<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="9" failures="0" errors="0" time="1">
    <testsuite name="a &gt; b" timestamp="2025" hostname="h" tests="5" failures="0" errors="0" skipped="2" time="1">
        <testcase classname="a" name="tests=&quot;99&quot; failures=&quot;99&quot;" time="1"></testcase>
    </testsuite>
    <testsuite name="c" timestamp="2025" hostname="h" tests="4" failures="0" errors="0" skipped="0" time="1"></testsuite>
</testsuites>
END`

test('the last line is the sum over all lanes and runners, alone and without colours', async () => {
  const pytest = `echo '<testsuites><testsuite name="pytest" errors="0" failures="0" skipped="1" tests="4" time="1"><testcase/></testsuite></testsuites>' >"$NMP_REPORTS/sdk.xml"`
  const checks = `run_checks checks printf 'ok one: 5 frames\\nchatter\\nok two\\n'`
  const plain = await run(makeCheckout({}))
  const mixed = await run(
    makeCheckout({
      npm: `[ "$1" = test ] || exit 0\n${vitestReport}`,
      'install-python': ':',
      python: checks,
      'python-sdk': pytest,
    }),
  )
  expect(plain).toMatchObject({ code: 0, end: '\n' })
  const lanes = count(plain.last).passed
  expect(lanes).toBeGreaterThan(8)
  // Stubs count one each: check and test by npm, install-python, python and python-sdk are other than those here.
  expect(mixed.said).toContain('== check: done')
  expect(count(mixed.last)).toEqual({ passed: lanes - 5 + 7 + 3 + 2, failed: 0, skipped: 3 })
  expect(mixed.code).toBe(0)
})

test('a lane that fails is counted, and the others are run all the same', async () => {
  const { said, last, code } = await run(
    makeCheckout({
      s3: 'write_report x 3 2 0; exit 1',
      browser: 'echo no Chromium; exit 1',
      fuzz: 'write_report x 1 1 0',
    }),
  )
  expect(code).toBe(1)
  expect(count(last)).toMatchObject({ failed: 4 })
  expect(said).toMatch(/== python-sdk: done after \d+ s \(\d+ s of processors\): 1 passed/)
})

test('a lane that ran no test fails, and so does one that only skipped', async () => {
  const none = await run(makeCheckout({ 'python-hub': ':' }))
  const skipped = await run(makeCheckout({ 'python-hub': 'write_report x 0 0 5' }))
  expect([none.code, skipped.code]).toEqual([1, 1])
  expect(none.said).toContain('== python-hub: ran no test')
  expect(count(skipped.last)).toMatchObject({ failed: 1, skipped: 5 })
})

test('a machine that can have no container engine counts one skipped, and passes', async () => {
  const { said, last, code } = await run(
    makeCheckout({ containers: "echo 'skipped containers: dockerd does not start'; write_report containers 0 0 1" }),
  )
  expect({ code, ...count(last) }).toMatchObject({ code: 0, failed: 0, skipped: 1 })
  expect(said).toMatch(/skipped containers: dockerd does not start\n== containers: done/)
})

test('what a lane needs must be there in CI', async () => {
  const { said, last, code } = await run(makeCheckout({ s3: "need 'S3 server'" }))
  expect({ code, failed: count(last).failed }).toEqual({ code: 1, failed: 1 })
  expect(said).toContain('s3: S3 server is needed in CI')
})

test('an installation that fails ends it', async () => {
  const { last, code } = await run(makeCheckout({ install: 'exit 1' }))
  expect({ last, code }).toEqual({ last: '0 passed, 1 failed, 0 skipped', code: 1 })
})

test('stopped half-way, it stops its lanes and says what was run', async () => {
  const npm = `[ "$1" = test ] || exit 0
write_report x 7 0 0
sleep 60 &
echo $! >.ci/sleeper
until [ -e .ci/aside ]; do sleep 0.1; done
echo sleeping
wait`
  const folder = makeCheckout({ npm, 'python-door': 'sleep 60', python: 'touch .ci/aside; sleep 60' })
  const { said, last, code } = await run(folder, { words: 'sleeping', signal: 'SIGTERM' })
  expect({ last, code }).toEqual({ last: '11 passed, 3 failed, 0 skipped', code: 1 })
  expect(said).toContain('== test: stopped')
  expect(said).toContain('== python: stopped')
  expect(said).toContain('== python-door: stopped')
  const sleeper = Number(readFileSync(join(folder, '.ci/sleeper'), 'utf8'))
  expect(() => process.kill(sleeper, 0)).toThrow('ESRCH')
})
