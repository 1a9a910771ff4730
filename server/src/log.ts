import { type Logger, pino } from 'pino'

export type Log = Logger

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * One JSON line per event on standard error; standard output stays free for what a person or a script reads.
 * Callers log ids, never bodies, headers or query strings, so no secret can get in.
 * Lines of a worker beside the API, in the same log, have the field `process`.
 */
export const createLog = (level: LogLevel, process?: 'worker'): Log =>
  pino(
    { level, base: process ? { process } : null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  )
