import { initialState, listSteps, type ModelState, type Protocol, type Step } from './model.ts'

export interface Exploration {
  stateCount: number
  stepCount: number
  /** The first broken invariant, with the shortest way there. */
  violation?: string
}

interface Visit {
  state: ModelState
  parent: number
  step: string
  /** Visits this one leads to, for the search of dead ends. */
  from: number[]
}

const finalStates = new Set(['succeeded', 'failed', 'canceled'])
const isFinal = (state: ModelState): boolean => finalStates.has(state.job.state)

/** Visits every state that any order of steps can reach, breadth first, and checks each step and each state. */
export const exploreProtocol = (protocol: Protocol, workerCount: number, maxAttempts: number): Exploration => {
  const first = initialState(workerCount, maxAttempts)
  const visits: Visit[] = [{ state: first, parent: -1, step: 'start', from: [] }]
  const known = new Map([[keyOf(first), 0]])
  let stepCount = 0
  for (let at = 0; at < visits.length; at += 1) {
    const visit = visits[at]
    if (!visit) break
    for (const step of listSteps(visit.state, protocol)) {
      stepCount += 1
      const broken = findViolation(visit.state, step)
      if (broken) {
        return { stateCount: visits.length, stepCount, violation: `${broken}: ${trace(visits, at)} ${step.name}` }
      }
      const key = keyOf(step.next)
      const seen = known.get(key)
      if (seen !== undefined) {
        visits[seen]?.from.push(at)
        continue
      }
      known.set(key, visits.length)
      visits.push({ state: step.next, parent: at, step: step.name, from: [at] })
    }
  }
  const dead = findDeadEnd(visits)
  const violation = dead === undefined ? {} : { violation: `I7 no way to an end: ${trace(visits, dead)}` }
  return { stateCount: visits.length, stepCount, ...violation }
}

const findViolation = (
  { job: before }: ModelState,
  { next, writerEpoch, isCancelAnswer }: Step,
): string | undefined => {
  const { job } = next
  if (next.commits > 1) return 'I1 two success commits'
  if (finalStates.has(before.state) && job.state !== before.state) return 'I2 a final state changed'
  const blob = next.blobs[job.resultContent]
  if (job.state === 'succeeded' && (!blob?.hasObject || blob.row !== 'live')) return 'I3 succeeded without its object'
  if (job.state === 'succeeded' && job.isCancelRequested) return 'I4 succeeded after a cancel'
  if (isCancelAnswer && before.state === 'succeeded') return 'I4 canceled after a success'
  if (job.epoch < before.epoch) return 'I5 the epoch fell'
  if (job.attempts > job.maxAttempts || next.claims - next.releases > job.maxAttempts) return 'I5 too many attempts'
  if (writerEpoch !== undefined && writerEpoch !== before.epoch) return 'I6 a stale write was accepted'
  return undefined
}

/** Walks back from the final states; what is not met cannot end. */
const findDeadEnd = (visits: Visit[]): number | undefined => {
  const canEnd = new Set(visits.keys().filter((at) => isFinal((visits[at] as Visit).state)))
  const open = [...canEnd]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const before of visits[at]?.from ?? []) {
      if (canEnd.has(before)) continue
      canEnd.add(before)
      open.push(before)
    }
  }
  return visits.keys().find((at) => !canEnd.has(at))
}

const trace = (visits: Visit[], at: number): string => {
  const steps: string[] = []
  for (let visit = visits[at]; visit && visit.parent >= 0; visit = visits[visit.parent]) steps.unshift(visit.step)
  return steps.join(' ')
}

const keyOf = ({ job, workers, blobs, ...rest }: ModelState): string =>
  [
    ...Object.values(job),
    ...workers.flatMap((worker) => Object.values(worker)),
    ...blobs.flatMap((blob) => Object.values(blob)),
    ...Object.values(rest),
  ].join()
