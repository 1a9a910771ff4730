import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkout, makeFolder } from '../../../../e2e/program.ts'
import type { Family } from './verdict.ts'

const file = 'server/test/permissions.test.ts'
const mostMinutes = 15

interface TestReport {
  testResults: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[]
}

/** The table of routes and principals is a test already: it is run here, and counted. */
export const principals: Family = {
  name: 'principals',
  title: `operations by principals (\`${file}\`)`,
  bar: 'each answers every principal as the table says',
  run: async function* () {
    const report = join(await makeFolder(), 'report.json')
    const words = ['vitest', 'run', file, '--reporter=json', `--outputFile=${report}`]
    await new Promise<void>((resolve) =>
      execFile('npx', words, { cwd: checkout, maxBuffer: 1 << 26, timeout: mostMinutes * 60_000 }, () => resolve()),
    )
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as TestReport
    for (const { fullName, status, failureMessages } of testResults.flatMap(({ assertionResults }) => assertionResults))
      yield { name: fullName, held: status === 'passed', words: failureMessages[0]?.slice(0, 300) ?? status }
  },
}
