import type { Session } from './session.ts'

export interface Option {
  type: 'string' | 'boolean'
  short?: string
  multiple?: boolean
  /** What stands in the usage for its value: `FILE`. */
  value?: string
  about: string
}

export interface Invocation {
  words: string[]
  /** A given string option; the last one when it was given more than once. */
  text(name: string): string | undefined
  flag(name: string): boolean
  texts(name: string): string[]
  whole(name: string): number | undefined
}

export interface Command {
  /** One word or two: `['imports', 'ls']`. */
  name: string[]
  /** Its positional words; `…` at the end takes many, `[ ]` may be left out. */
  words?: string[]
  /** A sentence; the overview shows it up to its first full stop or semicolon. */
  about: string
  examples?: string[]
  options?: Record<string, Option>
  /** Answers an exit code where it has said itself why it is not 0. */
  run(session: Session, invocation: Invocation): Promise<number> | Promise<void>
}

export const globalOptions: Record<string, Option> = {
  json: { type: 'boolean', about: 'print JSON' },
  quiet: { type: 'boolean', short: 'q', about: 'print ids only, without progress' },
  profile: { type: 'string', value: 'NAME', about: 'which sign-in to use (NMP_PROFILE); default: default' },
  channel: { type: 'string', value: 'stable|dev', about: 'which channel to use' },
  'base-url': { type: 'string', value: 'URL', about: 'address of the service (NMP_BASE_URL, NMP_DEV_BASE_URL)' },
  org: { type: 'string', value: 'SLUG', about: 'organization (NMP_ORG)' },
  project: { type: 'string', value: 'SLUG', about: 'project (NMP_PROJECT)' },
  help: { type: 'boolean', short: 'h', about: 'show the usage of a command' },
}

/** Options as `parseArgs` takes them. */
export const asConfig = (options: Record<string, Option>) =>
  Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
    ]),
  )
