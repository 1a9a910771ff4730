import { exitCodes } from './failures.ts'
import { runProgram } from './program.ts'

const interrupt = new AbortController()
const onInterrupt = (): void => {
  // A second Ctrl-C does not wait for anything to be put in order.
  if (interrupt.signal.aborted) process.exit(exitCodes.interrupted)
  interrupt.abort()
}
process.on('SIGINT', onInterrupt)
process.on('SIGTERM', onInterrupt)
// A reader that went away (head, less) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

const code = await runProgram({
  words: process.argv.slice(2),
  streams: { stdout: process.stdout, stderr: process.stderr },
  signal: interrupt.signal,
})
// Kept-alive connections would hold the process for seconds.
process.exitCode = code
process.stdout.write('', () => process.exit(code))
