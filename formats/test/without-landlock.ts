/** A machine whose kernel, or whose container, has no Landlock. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const launcher = fileURLToPath(new URL('../src/containers/child/launch.cjs', import.meta.url))
const allRights = 0xffff

/** Load the number of the call; 444, which makes a set of rules, is unknown; all others are allowed. */
const filter = Buffer.from('2000000000000000' + '15000001bc010000' + '0600000026000500' + '060000000000ff7f', 'hex')

export const startWithoutLandlock = (command: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const plan = {
    command,
    rules: [['/', allRights]],
    limits: [],
    filter: filter.toString('base64'),
    marks: {},
    parentId: process.pid,
  }
  return spawn(process.execPath, [launcher, JSON.stringify(plan)], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}
