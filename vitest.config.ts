import { defineConfig } from 'vitest/config'

/** On a busy machine of CI one more try; a test that needs it twice is wrong. */
const retry = process.env.CI ? 1 : 0

/** Where a lane of `.ci/run` leaves what it ran, to be summed up. */
const reports = process.env.NMP_REPORTS

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'formats',
          include: ['formats/**/*.test.ts', 'architecture.test.ts', '.ci/*.test.ts'],
          retry,
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          globalSetup: ['server/test/postgres-template.ts'],
          retry,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          retry,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
    maxWorkers: 2,
    reporters: reports
      ? ['default', ['junit', { outputFile: `${reports}/vitest-${process.pid}.xml`, includeConsoleOutput: false }]]
      : ['default'],
  },
})
