import { type Base, type Chain, findEnd, findGap, listUsableBases } from './chain.ts'

/** A stretch of time of which every moment can be restored. */
export interface Span {
  chain: Chain
  from: number
  until: number
  gap: Error | undefined
}

export interface Target {
  chain: Chain
  base: Base
  /** The moment, in milliseconds. */
  at: number
}

const shownSpans = 10

/** Oldest first. */
export const listSpans = (chains: readonly Chain[]): Span[] =>
  chains.flatMap((chain) => {
    const until = findEnd(chain)
    const from = listUsableBases(chain)[0]?.until
    return until === undefined || from === undefined ? [] : [{ chain, from, until, gap: findGap(chain) }]
  })

/** The newest chain that has the moment; without a moment, the last one there is. */
export function chooseTarget(root: string, chains: readonly Chain[], at: number | undefined): Target {
  const spans = listSpans(chains)
  if (spans.length === 0)
    throw new Error(
      `${root} holds no backup that is whole yet. Take one with \`npm run -s admin -- backup ${root}\`, or wait for the program to do so.`,
    )
  const moment = at ?? Math.max(...spans.map(({ until }) => until))
  const span = spans.findLast(({ from, until }) => from <= moment && moment <= until)
  const base = span && listUsableBases(span.chain).findLast(({ until }) => until <= moment)
  if (span && base) return { chain: span.chain, base, at: moment }
  throw new Error(
    `${renderTime(moment)} cannot be restored. ${root} has ${spans.slice(-shownSpans).map(renderSpan).join('; ')}. Choose a time in there. Nothing was changed.`,
  )
}

export const renderTime = (time: number): string => new Date(time).toISOString()

export const renderSpan = ({ from, until }: Pick<Span, 'from' | 'until'>): string =>
  from === until ? renderTime(from) : `${renderTime(from)} to ${renderTime(until)}`
