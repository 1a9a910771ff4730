import { ApiError } from '../../session/client.ts'

/** What the server refuses, at its place below `sources`. */
export interface SourceFault {
  /** Which source; undefined where it is of all of them. */
  source: number | undefined
  path: readonly string[]
  sentence: string
}

/** Faults of other fields are shown where those are. */
export function listSourceFaults(error: unknown): SourceFault[] {
  if (!(error instanceof ApiError)) return []
  return error.issues.flatMap(({ loc, msg }) => {
    const [field, source, ...path] = loc[0] === 'body' ? loc.slice(1) : loc
    if (field === 'sources')
      return [{ source: typeof source === 'number' ? source : undefined, path: path.map(String), sentence: say(msg) }]
    return field === 'seed' || field === 'task_weights' || field === 'task_samples'
      ? [{ source: undefined, path: [field, ...(source === undefined ? [] : [String(source)])], sentence: say(msg) }]
      : []
  })
}

/** A clause that begins with a name keeps it as it is written. */
const say = (message: string): string => {
  const clause = message
    .replace(/^Value error, /, '')
    .replace(/^(source|the|there|two|every|no) /, (word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return clause.endsWith('.') ? clause : `${clause}.`
}

/** Of a line of the map: `features` or `cameras`, by our name of it or by theirs. A name that ours lacks is refused at the first source. */
export const findLineFaults = (
  faults: readonly SourceFault[],
  source: number,
  key: 'features' | 'cameras' | 'tasks' | 'robot_type',
  ...names: readonly (string | undefined)[]
): SourceFault[] =>
  faults.filter(
    (fault) =>
      (fault.source === source || fault.source === 0) &&
      fault.path[0] === 'map' &&
      fault.path[1] === key &&
      (names.length === 0 || names.includes(fault.path[2])),
  )
