import { readdirSync, readFileSync } from 'node:fs'

/** The status of every process that this one started on an entry of that name, as /proc has it. */
export const findChildrenOn = (entry: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        const status = readFileSync(`/proc/${id}/status`, 'utf8')
        const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
        const isOwn = new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status)
        return isOwn && command.some((word) => word.endsWith(`/${entry}`)) ? [status] : []
      } catch {
        return []
      }
    })
