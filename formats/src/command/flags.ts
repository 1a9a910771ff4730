import type { JsonObject } from '../json.ts'

export interface CommandFlags {
  readonly json: boolean
  /** One target, or several that are written at the same time. */
  readonly to: readonly [string, ...string[]]
  /** Options of the target, as they were given; of several with the name of theirs before a dot. */
  readonly settings: JsonObject
  readonly videoCodec: 'av1' | 'h264'
}
