import { FormatError } from '@nmp/formats/errors'
import { isObject, type JsonObject, type JsonValue } from '@nmp/formats/json'
import type { SignalRoles } from '@nmp/formats/signal-roles'
import { readTargetOptions, type TargetSettings } from '@nmp/formats/writers/target-options'
import { ServiceError } from '../errors.ts'
import { findTarget, type Target, targetKeys } from '../versions/targets.ts'

/** Options by artifact key. */
export type OptionsByKey = Readonly<Record<string, JsonObject>>

/** Every option with its value; what the target does not know is refused in its sentence. */
export const readSettings = (
  target: Target,
  given: JsonObject | undefined,
  roles?: SignalRoles | undefined,
): TargetSettings => asValidation(() => readTargetOptions(target, given, roles))

/** What formats refuses of wishes is the caller's to mend. */
export function asValidation<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof FormatError) throw new ServiceError('validation_failed', error.message)
    throw error
  }
}

/** `options` of a query: the JSON that an export would be queued with. */
export function parseOptions(text: string | undefined): OptionsByKey {
  if (text === undefined) return {}
  const refuse = (sentence: string): never => {
    throw new ServiceError('validation_failed', sentence)
  }
  const value = parse(text)
  if (!isObject(value)) return refuse('options is JSON by artifact key, e.g. {"rlds": {"images": "png"}}.')
  for (const [key, one] of Object.entries(value)) {
    if (!findTarget(key)) return refuse(`options names "${key}", which is none of ${targetKeys.join(', ')}.`)
    if (!isObject(one)) return refuse(`options of ${key} must be an object of option and value.`)
  }
  return value as OptionsByKey
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
