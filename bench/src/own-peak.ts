import { readFileSync } from 'node:fs'

/**
 * The most memory that this process has held. Not `maxRSS`: Linux begins that of a program with what its parent held, so that a child of a
 * large bench seemed to need 300 MB where it had 42.
 */
export const measureOwnPeakBytes = (): number =>
  1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? Number.NaN)
