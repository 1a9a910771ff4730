/** The child that reads one HDF5 file at a time. A fault inside WebAssembly ends the process: its memory may be spoiled. */
import { FormatError } from '../../errors.ts'
import { serveCalls } from '../child/server.ts'
import type { AttributeCall, DescribeCall, DescribeHead, OpenCall, RowsCall } from './calls.ts'
import { createJail } from './jail.ts'
import { createRowReader } from './rows.ts'
import { describeTree, readAttribute } from './walk.ts'

const faultExitCode = 70

const jail = await createJail()
const rows = createRowReader(jail)

function guard<T>(work: () => T): T {
  try {
    const answer = work()
    jail.requireInnocence()
    return answer
  } catch (error) {
    if (error instanceof RangeError || (error as Error).name === 'RuntimeError') process.exit(faultExitCode)
    jail.requireInnocence()
    if (error instanceof FormatError) throw error
    throw new Error(describeFault(error))
  }
}

/** HDF5 prints a stack of causes; the innermost one says what is wrong. */
function describeFault(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const truncated = /truncated file: eof = (\d+), sblock->base_addr = \d+, stored_eof = (\d+)/.exec(text)
  if (truncated) return `it is cut off: ${truncated[1]} of ${truncated[2]} bytes are there`
  if (/already open for write/.test(text)) return 'it was not closed properly by its recorder; run h5clear -s on it'
  const causes = [...text.matchAll(/#\d+: .* in \w+\(\): (.*)/g)].map((match) => match[1])
  return (causes.at(-1) ?? text.split('\n', 1)[0] ?? 'unknown fault').replace(/\.$/, '').slice(0, 300)
}

serveCalls({
  open: ({ path }: OpenCall) => {
    rows.forget()
    guard(() => jail.openFile(path))
    return { head: { sizeBytes: jail.sizeBytes } }
  },
  *describe({ maxLinks }: DescribeCall) {
    const walk = describeTree(jail, maxLinks)
    for (;;) {
      const step: IteratorResult<DescribeHead, DescribeHead> = guard(() => walk.next())
      if (step.done) return { head: step.value }
      yield { head: step.value }
    }
  },
  rows: (call: RowsCall) => guard(() => rows.read(call)),
  locate: (call: RowsCall) => ({ head: guard(() => rows.locate(call)) }),
  attribute: ({ object, name }: AttributeCall) => {
    const found = guard(() => readAttribute(jail, object, name))
    if (!found) throw new FormatError('limit_exceeded', `The attribute ${name} of ${object} is larger than 4 MiB.`)
    return { head: found.value }
  },
})
