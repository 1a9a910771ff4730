import { homedir } from 'node:os'
import { join } from 'node:path'

/** The one place that reads the environment. */
export interface Environment {
  baseUrl: string | undefined
  devBaseUrl: string | undefined
  token: string | undefined
  profile: string | undefined
  org: string | undefined
  project: string | undefined
  configFolder: string
  stateFolder: string
  /** The terminal can draw over a line. */
  canDraw: boolean
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const home = env.HOME ?? homedir()
  return {
    baseUrl: env.NMP_BASE_URL || undefined,
    devBaseUrl: env.NMP_DEV_BASE_URL || undefined,
    token: env.NMP_TOKEN || undefined,
    profile: env.NMP_PROFILE || undefined,
    org: env.NMP_ORG || undefined,
    project: env.NMP_PROJECT || undefined,
    configFolder: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'nmp'),
    stateFolder: join(env.XDG_STATE_HOME || join(home, '.local', 'state'), 'nmp'),
    canDraw: env.TERM !== 'dumb',
  }
}
