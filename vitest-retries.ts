import type { Reporter, TestCase } from 'vitest/node'

/** Names at the end of a run what passed only at another try: such a test is a fault, of the test or of the program. */
export const retriesReporter: Reporter = {
  onTestRunEnd(modules) {
    const retried = modules.flatMap((module) => [...module.children.allTests('passed')].filter(wasRetried))
    if (retried.length === 0) return
    process.stdout.write(`\n Passed only when tried again: ${retried.length}\n${retried.map(describe).join('')}`)
  },
}

const wasRetried = (test: TestCase): boolean => (test.diagnostic()?.retryCount ?? 0) > 0

const describe = (test: TestCase): string => {
  const reasons = (test.result().errors ?? []).map(({ message }) => `     ${message.split('\n')[0]}\n`)
  return `   ${test.module.relativeModuleId} > ${test.fullName}\n${reasons.join('')}`
}
