import type { ViteUserConfig } from 'vitest/config'
import type { Reporter, TestCase } from 'vitest/node'

type Plugin = Extract<NonNullable<ViteUserConfig['plugins']>[number], { name: string }>

const reporter: Reporter = {
  onTestRunEnd(modules) {
    const lines = modules.flatMap((module) => [...module.children.allTests()].filter(isRetried).map(describe))
    if (lines.length === 0) return
    process.stdout.write(`\n passed only when tried again: ${lines.length}\n${lines.join('')}`)
  },
}

const isRetried = (test: TestCase): boolean =>
  test.result().state === 'passed' && (test.diagnostic()?.retryCount ?? 0) > 0

const describe = (test: TestCase): string => {
  const errors = test.result().errors ?? []
  const reasons = errors.map(({ message }) => `     ${message.split('\n')[0]}\n`)
  return `   ${test.module.relativeModuleId} > ${test.fullName}\n${reasons.join('')}`
}

/** Names the tests that passed only at another try, whichever reporters a run has: such a test is a fault, of it or of ours. */
export const listRetries = (): Plugin => ({
  name: 'list-retries',
  configureVitest({ vitest }) {
    vitest.config.reporters.push(reporter)
  },
})
