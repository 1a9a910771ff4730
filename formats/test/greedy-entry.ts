/** `greedy-entry.ts WHAT FOLDER`: takes of one thing as much as it can. */
import { appendFileSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const [what = '', folder = ''] = process.argv.slice(2)

const greed: Record<string, () => void> = {
  write() {
    // It is told by a signal, which ends it.
    for (;;) appendFileSync(join(folder, 'large'), new Uint8Array(100_000))
  },
  open() {
    let last = 0
    try {
      for (;;) last = openSync('/dev/null', 'r')
    } catch (error) {
      writeSync(1, `${(error as NodeJS.ErrnoException).code} after ${last}`)
    }
  },
  spin() {
    for (;;);
  },
}
greed[what]?.()
