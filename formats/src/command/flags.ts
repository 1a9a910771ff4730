import type { JsonObject } from '../json.ts'

export interface CommandFlags {
  readonly json: boolean
  readonly to: string
  /** Options of the target, as they were given. */
  readonly settings: JsonObject
  readonly videoCodec: 'av1' | 'h264'
}
