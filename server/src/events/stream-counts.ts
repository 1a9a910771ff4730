import { type Peers, silenceMilliseconds } from '../db/peers.ts'

interface Told {
  count: number
  at: number
}

/**
 * How many event streams a person has open, at all APIs. Each tells the others when it changes, and all that it has every few seconds: two
 * that are opened at the same moment at two APIs may be one too many, and what a killed API had is forgotten.
 */
export class StreamCounts {
  readonly #peers: Peers
  readonly #own = new Map<string, number>()
  readonly #others = new Map<string, Map<string, Told>>()

  constructor(peers: Peers) {
    this.#peers = peers
    peers.follow({
      name: 'streams',
      hear: (from, line) => this.#hear(from, line),
      listAll: () => [...this.#own].map(describe),
      forget: (from) => void this.#others.delete(from),
    })
  }

  ofPerson(userId: string): number {
    let count = this.#own.get(userId) ?? 0
    for (const told of this.#others.values()) count += countFresh(told.get(userId))
    return count
  }

  add(userId: string, change: 1 | -1): void {
    const count = (this.#own.get(userId) ?? 0) + change
    if (count > 0) this.#own.set(userId, count)
    else this.#own.delete(userId)
    this.#peers.tell('streams', [describe([userId, count])])
  }

  #hear(from: string, line: string): void {
    const [count = '', userId = ''] = line.split(' ')
    const told = this.#others.get(from) ?? new Map<string, Told>()
    this.#others.set(from, told)
    if (Number(count) > 0) told.set(userId, { count: Number(count), at: performance.now() })
    else told.delete(userId)
    // Where the word that a stream was closed was lost.
    for (const [id, one] of told) if (countFresh(one) === 0) told.delete(id)
  }
}

const describe = ([userId, count]: [string, number]): string => `${count} ${userId}`

const countFresh = (told: Told | undefined): number =>
  told && performance.now() - told.at < silenceMilliseconds ? told.count : 0
