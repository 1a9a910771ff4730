import type { Log } from './log.ts'

/** Below the grace time of deploy/, so that what did not end is told before the process is killed. */
const limitSeconds = 35

/**
 * Ends the parts of a program one after the other. One that does not end in time is named, and the process ends all the same: nothing that
 * was acknowledged is lost by that. Answers whether all have ended.
 */
export async function stopInOrder(steps: Record<string, () => Promise<unknown>>, log: Log): Promise<boolean> {
  let current = ''
  const isLate = Promise.withResolvers<false>()
  const timer = setTimeout(() => {
    log.error({ part: current, seconds: limitSeconds }, 'a part did not stop in time; the process ends without it')
    isLate.resolve(false)
  }, limitSeconds * 1000)
  const work = async (): Promise<true> => {
    for (const [name, stop] of Object.entries(steps)) {
      current = name
      await stop()
    }
    return true
  }
  try {
    return await Promise.race([work(), isLate.promise])
  } finally {
    clearTimeout(timer)
  }
}
