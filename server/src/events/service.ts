import { Readable } from 'node:stream'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../context.ts'
import { presentReview } from '../curation/reviews/record.ts'
import { findReviewById, listReviewsChangedSince } from '../curation/reviews/service.ts'
import { presentNotification } from '../notifications/notification-record.ts'
import { countUnread, findNotification, listNotificationIdsSince } from '../notifications/service.ts'
import { listAllOrgsOf } from '../organizations/service.ts'
import { getEventHub, type Word } from './event-hub.ts'
import { mayReadProject } from './may-read-project.ts'
import { presenters } from './presenters.ts'
import { listChangedJobs } from './repository.ts'

const heartbeatMs = 15_000
/** A stream ends after this long and the client comes back with its last id: so a credential that was withdrawn hears no more. */
const longestStreamMs = 600_000
/** Nobody took anything for this long: the client hangs. */
const patienceMs = 60_000
const mostWaiting = 1_000
const mostCatchUp = 500
/** Rows are stamped when their transaction begins; one that took this long was committed after younger ones were told. */
const overlapMs = 60_000
const membershipMs = 30_000
/** What a `Date` can hold. */
const latestDate = 8.64e15

export interface StreamRequest {
  orgSlug: string | undefined
  projectSlug: string | undefined
  lastEventId: string | undefined
  seconds: number | undefined
  signal: AbortSignal
}

/** What happens to jobs and in the inbox of one person, as server-sent events. Ends by itself after a while; clients come back. */
export async function openEventStream(
  context: Context,
  principal: Principal,
  request: StreamRequest,
): Promise<Readable> {
  const follower = new Follower(context, principal, request)
  await follower.open()
  const stream = Readable.from(follower.follow(), { objectMode: true, highWaterMark: 8 })
  // A client that left before the first word: a generator that was never begun runs no `finally`.
  stream.once('close', () => follower.end())
  return stream
}

class Follower {
  readonly #context: Context
  readonly #principal: Principal
  readonly #request: StreamRequest
  /** By what they are about: a job that changes ten times while the client is slow is told once, as it is then. */
  readonly #waiting = new Map<string, Word>()
  #orgs = new Map<string, string>()
  #orgsReadAt = 0
  #since: Date | undefined
  #lastId = 0
  #isEnded = false
  #wake: () => void = () => undefined
  #unsubscribe: () => void = () => undefined

  constructor(context: Context, principal: Principal, request: StreamRequest) {
    this.#context = context
    this.#principal = principal
    this.#request = request
    const last = Number(request.lastEventId)
    if (request.lastEventId && Number.isInteger(last) && last > 0 && last <= latestDate) {
      this.#since = new Date(last - overlapMs)
      // Another API, whose clock may be a little ahead, told it.
      this.#lastId = Math.min(last, getEventHub(context).now + overlapMs / 2)
    }
  }

  /** Heard from now on; what happened before `follow` begins waits. */
  async open(): Promise<void> {
    await this.#readOrgs()
    const end = () => this.end()
    this.#unsubscribe = getEventHub(this.#context).subscribe({
      userId: this.#principal.userId,
      hear: (word) => this.#hear(word),
      catchUp: () => {
        this.#since ??= new Date(getEventHub(this.#context).now - overlapMs)
        this.#wake()
      },
      end,
    })
    if (this.#request.signal.aborted) end()
    else this.#request.signal.addEventListener('abort', end, { once: true })
  }

  async *follow(): AsyncGenerator<string> {
    const hub = getEventHub(this.#context)
    const deadline = Date.now() + this.#findLifeMs()
    let takenAt = Date.now()
    const watchdog = setInterval(() => {
      if (Date.now() - takenAt > patienceMs) this.end()
    }, 5_000)
    try {
      const unread = await countUnread(this.#context.db, this.#principal)
      yield `retry: 2000\n\n${format(this.#takeId(hub.now), 'ready', { unread_count: unread })}`
      while (!this.#isEnded) {
        takenAt = Date.now()
        if (this.#since && !(await this.#catchUp())) yield format(this.#takeId(hub.now), 'reset', {})
        const [next] = this.#waiting
        if (next) {
          const [key, word] = next
          this.#waiting.delete(key)
          const toldAt = hub.now
          const event = await this.#present(word)
          if (event && !this.#isEnded) yield format(this.#takeId(toldAt), event.name, event.data)
          continue
        }
        const leftMs = deadline - Date.now()
        if (leftMs <= 0) return
        if (!(await this.#wait(Math.min(heartbeatMs, leftMs))) && !this.#isEnded) yield ': still here\n\n'
      }
    } finally {
      clearInterval(watchdog)
      this.#unsubscribe()
    }
  }

  /** The moment since which whoever comes back with it has to look; they ascend, and no two events of a client have the same. */
  #takeId(now: number): number {
    this.#lastId = Math.max(now, this.#lastId + 1)
    return this.#lastId
  }

  #findLifeMs(): number {
    const { seconds } = this.#request
    const asked = seconds === undefined ? longestStreamMs : seconds * 1000
    const session =
      this.#principal.kind === 'session' ? this.#principal.expiresAt.getTime() - Date.now() : longestStreamMs
    return Math.min(asked, session, longestStreamMs)
  }

  #hear(word: Word): void {
    if (word.kind === 'notification' ? word.userId !== this.#principal.userId : !this.#concerns(word)) return
    this.#waiting.set(`${word.kind} ${word.id}`, word)
    if (this.#waiting.size > mostWaiting) this.end()
    this.#wake()
  }

  #concerns({ orgId }: { orgId: string }): boolean {
    // Memberships are read again now and then; who has just joined hears of it with the next reading.
    if (Date.now() - this.#orgsReadAt > membershipMs) void this.#readOrgs().catch(() => undefined)
    return this.#orgs.has(orgId)
  }

  async #readOrgs(): Promise<void> {
    this.#orgsReadAt = Date.now()
    const orgs = await listAllOrgsOf(this.#context.db, this.#principal.userId)
    const wanted = orgs.filter(
      ({ slug, requireTwoStep }) =>
        (this.#request.orgSlug === undefined || slug === this.#request.orgSlug) &&
        (this.#principal.hasSecondProof || !requireTwoStep),
    )
    this.#orgs = new Map(wanted.map(({ id, slug }) => [id, slug]))
  }

  /** False when more has changed than is worth telling one by one: the client reads its lists anew. */
  async #catchUp(): Promise<boolean> {
    const since = this.#since ?? new Date()
    this.#since = undefined
    const { db } = this.#context
    const kinds = presenters.map(({ jobKind }) => jobKind)
    const jobs = await listChangedJobs(db, [...this.#orgs.keys()], kinds, since, mostCatchUp + 1)
    const notifications = await listNotificationIdsSince(db, this.#principal.userId, since, mostCatchUp + 1)
    const reviews = await listReviewsChangedSince(db, [...this.#orgs.keys()], since, mostCatchUp + 1)
    if (Math.max(jobs.length, notifications.length, reviews.length) > mostCatchUp) return false
    for (const { id, kind, orgId } of jobs) this.#waiting.set(`job ${id}`, { kind: 'job', jobKind: kind, orgId, id })
    for (const { id, orgId } of reviews) this.#waiting.set(`review ${id}`, { kind: 'review', orgId, id })
    for (const id of notifications)
      this.#waiting.set(`notification ${id}`, { kind: 'notification', userId: this.#principal.userId, id })
    return true
  }

  /** The thing as it is now, if the person may see it now. */
  async #present(word: Word): Promise<{ name: string; data: object } | undefined> {
    if (word.kind === 'notification') {
      const row = await findNotification(this.#context.db, this.#principal, word.id)
      return row && { name: 'notification', data: presentNotification(this.#context, row) }
    }
    const found = word.kind === 'review' ? await this.#presentReview(word.id) : await this.#presentJob(word)
    if (!found) return undefined
    const { name, data } = found
    const { projectSlug } = this.#request
    if (projectSlug !== undefined && (!('project_slug' in data) || data.project_slug !== projectSlug)) return undefined
    return { name, data }
  }

  async #presentJob({ jobKind, id }: { jobKind: string; id: string }) {
    const presenter = presenters.find((one) => one.jobKind === jobKind)
    const data = await presenter?.present(this.#context, this.#principal, id)
    return presenter && data && { name: presenter.event as string, data }
  }

  /** How far it is; its episodes and verdicts are read by who shows them. */
  async #presentReview(id: string) {
    const { db } = this.#context
    const row = await findReviewById(db, id)
    return row && (await mayReadProject(db, this.#principal, row))
      ? { name: 'review', data: presentReview(row) }
      : undefined
  }

  /** True when there is something to do. */
  #wait(milliseconds: number): Promise<boolean> {
    if (this.#isEnded || this.#waiting.size > 0 || this.#since) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  end(): void {
    this.#isEnded = true
    this.#unsubscribe()
    this.#wake()
  }
}

const format = (id: number, name: string, data: object): string =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`
