import type { Use } from './use.ts'

/** What somebody who used the fleet saw of a fault. */
export interface Seen {
  what: string
  /** Requests without a retry that failed, and over what time. */
  reads: Trouble
  writes: Trouble
  /** The slowest of each kind that a client with its retries saw, in seconds. */
  slowest: Record<string, number>
  /** What a client reported as failed after its own retries. */
  failed: number
}

interface Trouble {
  sent: number
  failed: number
  /** From the first that failed to the last. */
  seconds: number
  slowestSeconds: number
}

const toSeconds = (milliseconds: number): number => Math.round(milliseconds / 100) / 10

export function describeSeen(what: string, use: Use, from: number, to: number): Seen {
  const within = ({ at, milliseconds }: { at: number; milliseconds: number }) => at + milliseconds >= from && at < to
  const find = (kind: 'read' | 'write'): Trouble => {
    const sent = use.probes.filter((probe) => probe.kind === kind && within(probe))
    const failed = sent.filter(({ ok }) => !ok)
    const [first, last] = [failed[0], failed.at(-1)]
    return {
      sent: sent.length,
      failed: failed.length,
      seconds: first && last ? toSeconds(last.at + last.milliseconds - first.at) : 0,
      slowestSeconds: toSeconds(Math.max(0, ...sent.map(({ milliseconds }) => milliseconds))),
    }
  }
  const slowest: Record<string, number> = {}
  const deeds = use.deeds.filter(within)
  for (const { kind, milliseconds } of deeds) slowest[kind] = Math.max(slowest[kind] ?? 0, toSeconds(milliseconds))
  const failed = deeds.filter((deed) => deed.failed !== undefined).length
  return { what, reads: find('read'), writes: find('write'), slowest, failed }
}

const kinds = ['import', 'export', 'push', 'Hub read', 'read'] as const

export function renderTable(seen: readonly Seen[]): string {
  const describe = ({ sent, failed, seconds, slowestSeconds }: Trouble): string =>
    failed === 0 ? `none; slowest ${slowestSeconds} s` : `${failed} of ${sent} in ${seconds} s`
  const head = ['what happened', 'reads that failed', 'writes that failed', ...kinds, 'failed after retries']
  const rows = seen.map(({ what, reads, writes, slowest, failed }) => [
    what,
    describe(reads),
    describe(writes),
    ...kinds.map((kind) => (slowest[kind] === undefined ? 'none ended' : `${slowest[kind]} s`)),
    String(failed),
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
