import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Preloaded into the program: the most processor time that the loop which answers everybody spent between two looks at its timers. Unlike
 * what somebody waits, it does not depend on what else the machine does. A line for each stretch of time, in a file for each process.
 */
const { NMP_TURNS_FILE: file = '' } = process.env
const stretchMs = 200
/** Shorter turns keep nobody waiting, and are not told. */
const leastMs = 5

if (isMainThread && file !== '') {
  const findUsedMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let before = findUsedMs()
  let longestMs = 0
  setInterval(() => {
    const now = findUsedMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
  }, 1).unref()
  setInterval(() => {
    if (longestMs >= leastMs) appendFileSync(`${file}.${process.pid}`, `${Date.now()} ${longestMs}\n`)
    longestMs = 0
  }, stretchMs).unref()
}
