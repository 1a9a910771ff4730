/**
 * The lease protocol as a state machine without SQL, time or a network: one job, some workers, two possible contents
 * of its result, a collector of unreferenced blobs. What may happen at any moment is a step. The explorer walks all
 * of them, and the property test holds the real statements against the job's part.
 */
import type { JobState } from './tables.ts'

/** How a broken variant departs from the protocol. The explorer must catch each of them. */
export interface Protocol {
  finishFence: 'epoch' | 'state' | 'id'
  failFence: 'epoch' | 'id'
  heartbeatFence: 'epoch' | 'state'
  releaseFence: 'epoch' | 'state'
  finishHeedsCancel: boolean
  uploadFirst: boolean
  collectorFence: boolean
  sweepChecksState: boolean
  attemptsCountedAtClaim: boolean
}

export const soundProtocol: Protocol = {
  finishFence: 'epoch',
  failFence: 'epoch',
  heartbeatFence: 'epoch',
  releaseFence: 'epoch',
  finishHeedsCancel: true,
  uploadFirst: true,
  collectorFence: true,
  sweepChecksState: true,
  attemptsCountedAtClaim: true,
}

export interface ModelJob {
  state: JobState
  epoch: number
  attempts: number
  maxAttempts: number
  isExpired: boolean
  isCancelRequested: boolean
  resultEpoch: number
  resultContent: number
}

interface ModelWorker {
  phase: 'idle' | 'working' | 'uploaded'
  epoch: number
  content: number
  /** Found the blob there and did not write it again. */
  relies: boolean
}

interface ModelBlob {
  row: 'none' | 'live' | 'deleting'
  hasObject: boolean
}

export interface ModelState {
  job: ModelJob
  workers: ModelWorker[]
  blobs: ModelBlob[]
  commits: number
  claims: number
  releases: number
  /** The broken sweep's list, read before it is used. */
  sweepSaw: boolean
  /** The broken collector's decision, made before it is carried out; -1: none. */
  collects: number
}

export interface Step {
  name: string
  next: ModelState
  /** The epoch of the worker whose write was accepted. */
  writerEpoch?: number
  isCancelAnswer?: boolean
}

const idle: ModelWorker = { phase: 'idle', epoch: 0, content: -1, relies: false }

/** Content 0 is stored and unreferenced already, as after a dataset was deleted; content 1 was never seen. */
export const initialState = (workerCount: number, maxAttempts: number): ModelState => ({
  job: {
    state: 'queued',
    epoch: 0,
    attempts: 0,
    maxAttempts,
    isExpired: false,
    isCancelRequested: false,
    resultEpoch: 0,
    resultContent: -1,
  },
  workers: Array.from({ length: workerCount }, () => idle),
  blobs: [
    { row: 'live', hasObject: true },
    { row: 'none', hasObject: false },
  ],
  commits: 0,
  claims: 0,
  releases: 0,
  sweepSaw: false,
  collects: -1,
})

export const claimJob = (job: ModelJob, countsAttempt = true): ModelJob | undefined =>
  job.state === 'queued' && job.attempts < job.maxAttempts
    ? {
        ...job,
        state: 'running',
        epoch: job.epoch + 1,
        attempts: job.attempts + (countsAttempt ? 1 : 0),
        isExpired: false,
      }
    : undefined

export const endJob = (job: ModelJob, isRetryable: boolean, countsAttempt = false): ModelJob => {
  const attempts = job.attempts + (countsAttempt ? 1 : 0)
  const again = isRetryable && attempts < job.maxAttempts
  return { ...job, attempts, isExpired: false, state: job.isCancelRequested ? 'canceled' : again ? 'queued' : 'failed' }
}

export const releaseJob = (job: ModelJob): ModelJob =>
  job.isCancelRequested
    ? { ...job, state: 'canceled', isExpired: false }
    : { ...job, state: 'queued', isExpired: false, attempts: job.attempts - 1 }

export const cancelJob = (job: ModelJob): ModelJob | undefined => {
  if (job.state === 'queued') return { ...job, state: 'canceled', isCancelRequested: true }
  return job.state === 'running' ? { ...job, isCancelRequested: true } : undefined
}

export const holds = (job: ModelJob, epoch: number, fence: 'epoch' | 'state' | 'id' = 'epoch'): boolean =>
  fence === 'id' || (job.state === 'running' && (fence === 'state' || job.epoch === epoch))

/** Everything that may happen next. */
export function* listSteps(state: ModelState, protocol: Protocol): Generator<Step> {
  const { job } = state
  yield* listClockSteps(state, protocol)
  yield* listCollectorSteps(state, protocol)
  const canceled = cancelJob(job)
  if (canceled) yield { name: 'cancel', next: { ...state, job: canceled }, isCancelAnswer: true }
  for (const [index, worker] of state.workers.entries()) {
    if (worker.phase === 'idle') {
      const claimed = claimJob(job, protocol.attemptsCountedAtClaim)
      if (!claimed) continue
      const fresh: ModelWorker = { ...idle, phase: 'working', epoch: claimed.epoch }
      yield { name: `claim${index}`, next: put({ ...state, job: claimed, claims: state.claims + 1 }, index, fresh) }
      continue
    }
    yield { name: `crash${index}`, next: put(state, index, idle) }
    yield* listWorkerSteps(state, index, worker, protocol)
  }
}

function* listClockSteps(state: ModelState, protocol: Protocol): Generator<Step> {
  const { job } = state
  const isLost = job.state === 'running' && job.isExpired
  if (job.state === 'running' && !job.isExpired) {
    yield { name: 'lease-expires', next: { ...state, job: { ...job, isExpired: true } } }
  }
  if (job.state === 'running') yield { name: 'deadline', next: { ...state, job: endJob(job, false) } }
  if (protocol.sweepChecksState) {
    if (isLost) yield { name: 'sweep', next: { ...state, job: endJob(job, true, !protocol.attemptsCountedAtClaim) } }
    return
  }
  if (isLost && !state.sweepSaw) yield { name: 'sweep-looks', next: { ...state, sweepSaw: true } }
  if (state.sweepSaw) yield { name: 'sweep-acts', next: { ...state, sweepSaw: false, job: endJob(job, true) } }
}

function* listCollectorSteps(state: ModelState, protocol: Protocol): Generator<Step> {
  for (const [content, blob] of state.blobs.entries()) {
    const isReferenced = state.job.state === 'succeeded' && state.job.resultContent === content
    const set = (change: Partial<ModelBlob>): ModelState => ({
      ...state,
      collects: -1,
      blobs: state.blobs.map((other, index) => (index === content ? { ...other, ...change } : other)),
    })
    if (!protocol.collectorFence) {
      if (blob.row === 'live' && !isReferenced && state.collects < 0) {
        yield { name: `collector-decides${content}`, next: { ...state, collects: content } }
      }
      if (state.collects === content) {
        yield { name: `collector-deletes${content}`, next: set({ row: 'none', hasObject: false }) }
      }
      continue
    }
    if (blob.row === 'live' && !isReferenced) yield { name: `mark${content}`, next: set({ row: 'deleting' }) }
    if (blob.row === 'deleting' && blob.hasObject) yield { name: `delete${content}`, next: set({ hasObject: false }) }
    if (blob.row === 'deleting' && !blob.hasObject) yield { name: `drop${content}`, next: set({ row: 'none' }) }
  }
}

function* listWorkerSteps(state: ModelState, index: number, worker: ModelWorker, protocol: Protocol): Generator<Step> {
  const { job } = state
  const writerEpoch = worker.epoch
  const write = (name: string, isAccepted: boolean, change: () => ModelJob, after = idle): Step =>
    isAccepted
      ? { name: `${name}${index}`, next: put({ ...state, job: change() }, index, after), writerEpoch }
      : { name: `${name}${index}-refused`, next: put(state, index, idle) }

  if (worker.phase === 'working') {
    for (const [content, blob] of state.blobs.entries()) {
      // A writer that meets a blob being deleted waits.
      if (protocol.collectorFence && blob.row === 'deleting') continue
      const uploaded: ModelWorker = { ...worker, phase: 'uploaded', content, relies: blob.row === 'live' }
      const blobs = state.blobs.map((other, at) =>
        at === content && protocol.uploadFirst ? { ...other, hasObject: true } : other,
      )
      yield { name: `put${index}:${content}`, next: put({ ...state, blobs }, index, uploaded) }
    }
  }
  yield write(
    'heartbeat',
    holds(job, worker.epoch, protocol.heartbeatFence),
    () => ({ ...job, isExpired: false }),
    worker,
  )
  const canFail = holds(job, worker.epoch, protocol.failFence)
  yield write('fail', canFail, () => endJob(job, true, !protocol.attemptsCountedAtClaim))
  yield write('refuse', canFail, () => endJob(job, false))
  if (state.releases === 0) {
    const step = write('release', holds(job, worker.epoch, protocol.releaseFence), () => releaseJob(job))
    yield { ...step, next: { ...step.next, releases: step.writerEpoch === undefined ? 0 : 1 } }
  }
  if (job.isCancelRequested) {
    yield write('ack', holds(job, worker.epoch), () => ({ ...job, state: 'canceled', isExpired: false }))
  }
  if (worker.phase === 'uploaded') yield* listFinishSteps(state, index, worker, protocol)
}

function* listFinishSteps(state: ModelState, index: number, worker: ModelWorker, protocol: Protocol): Generator<Step> {
  const { job, blobs } = state
  const blob = blobs[worker.content]
  const isHeld =
    holds(job, worker.epoch, protocol.finishFence) && !(protocol.finishHeedsCancel && job.isCancelRequested)
  if (!isHeld || !blob) {
    const isMine = job.state === 'succeeded' && job.resultEpoch === worker.epoch
    yield { name: `finish${index}-${isMine ? 'known' : 'refused'}`, next: put(state, index, idle) }
    return
  }
  if (protocol.collectorFence && (blob.row === 'deleting' || (worker.relies && blob.row === 'none'))) {
    yield {
      name: `finish${index}-puts-again`,
      next: put(state, index, { ...idle, phase: 'working', epoch: worker.epoch }),
    }
    return
  }
  const committed: ModelState = {
    ...state,
    commits: state.commits + 1,
    blobs: blobs.map((other, at) => (at === worker.content ? { ...other, row: 'live' } : other)),
    job: { ...job, state: 'succeeded', isExpired: false, resultEpoch: worker.epoch, resultContent: worker.content },
  }
  yield { name: `finish${index}`, next: put(committed, index, idle), writerEpoch: worker.epoch }
  yield { name: `finish${index}-answer-lost`, next: put(committed, index, worker), writerEpoch: worker.epoch }
}

const put = (state: ModelState, index: number, worker: ModelWorker): ModelState => ({
  ...state,
  workers: state.workers.map((other, at) => (at === index ? worker : other)),
})
