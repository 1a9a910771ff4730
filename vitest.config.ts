import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { canMountDisk } from './fixtures/small-disk.ts'
import { retriesReporter } from './vitest-retries.ts'

// Workers, and what they start, find code without types and compiled: see require-node-24.mjs.
process.env.NODE_COMPILE_CACHE ??= `${import.meta.dirname}/node_modules/.cache/code`

/** On a busy machine of CI one more try, which is then named at the end of the run. */
const retry = process.env.CI ? 1 : 0

/** `npm run coverage` */
const setupFiles = process.env.NODE_V8_COVERAGE ? [`${import.meta.dirname}/tools/coverage/setup.ts`] : []

/** Where a lane of `.ci/run` leaves what it ran, to be summed up. */
const reports = process.env.NMP_REPORTS
const junit = { outputFile: `${reports}/vitest-${process.pid}.xml`, includeConsoleOutput: false }

/** What needs a browser, a container engine or an S3 server is not part of `npm test`: `.ci/browser`, `.ci/containers` and `.ci/s3` bring them, and run `lane-…`. */
const inBrowser = 'e2e/console*.test.ts'
const inContainers = 'e2e/container*.test.ts'
const onS3Only = 'server/src/**/s3.test.ts'

/** The long form of fault tests, which is run before a release. */
const longOnly = process.env.NMP_TEST_LONG ? [] : ['e2e/demo.test.ts']

const diskFull = 'server/src/imports/run/disk-full.test.ts'
const impossible = canMountDisk() ? [] : [diskFull]
if (impossible.length > 0) process.stderr.write(`${diskFull} is left out: this account may not mount a small disk.\n`)

/**
 * Test files of a worker share what they load: loading it again for each was half of the CPU time.
 * Time-outs end what hangs: twenty times what a quiet machine needs, since a machine of CI may be shared by others.
 */
const server = {
  isolate: false,
  // Code that is compiled by the optimizing compiler is mostly gone before it paid for that: a fifth of the CPU time of these workers.
  execArgv: ['--no-opt'],
  setupFiles,
  globalSetup: ['server/test/postgres-template.ts'],
  retry,
  testTimeout: 120_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
}
const e2e = { retry, setupFiles, testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 120_000 } } }

export default defineConfig({
  test: {
    // Node runs our sources as they are; nothing is transformed for tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        test: {
          name: 'formats',
          isolate: false,
          include: ['formats/**/*.test.ts', '*architecture.test.ts', '.ci/*.test.ts', 'tools/parts/*.test.ts'],
          retry,
          setupFiles,
          testTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: 'web',
          isolate: false,
          include: ['web/src/**/*.test.ts'],
          retry,
          setupFiles,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          exclude: [...configDefaults.exclude, onS3Only, ...impossible],
          ...server,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, inBrowser, inContainers, ...longOnly],
          ...e2e,
        },
      },
      {
        test: {
          name: 'lane-s3',
          include: [
            onS3Only,
            'server/src/storage/blobs.test.ts',
            'server/src/uploads/uploads.test.ts',
            'server/src/admin/move.test.ts',
            'server/test/fleet.test.ts',
          ],
          ...server,
        },
      },
      { test: { name: 'lane-browser', include: [inBrowser], ...e2e } },
      // Twenty times the half minute that a quiet machine needs.
      {
        test: { name: 'lane-containers', include: [inContainers], ...e2e, testTimeout: 600_000, hookTimeout: 600_000 },
      },
    ],
    // Each worker of `server` holds some thirty connections to one PostgreSQL.
    // Most tests wait for one process after another: a worker more than cores keeps two cores busy (60 % with two, 77 % with four).
    maxWorkers: Math.min(8, availableParallelism() + 1),
    reporters: reports ? ['default', ['junit', junit], retriesReporter] : ['default', retriesReporter],
  },
})
