import { probeSandbox } from '@nmp/formats/child/probe'
import type { Config } from '../config.ts'
import { describeError } from '../errors.ts'
import type { Log } from '../log.ts'

/**
 * Says once what the processes that read foreign files lack of their sandbox on this machine. With `NMP_SANDBOX=require` nothing may be
 * lacking, and the program waits for the answer.
 */
export async function checkSandbox({ NMP_SANDBOX }: Pick<Config, 'NMP_SANDBOX'>, log: Log): Promise<void> {
  const missing = probeSandbox().catch((error) => [`a launcher that starts (${describeError(error)})`])
  if (NMP_SANDBOX === 'require') return requireWhole(await missing)
  void missing.then((lacks) => {
    if (lacks.length > 0) log.warn({ missing: lacks }, 'processes that read foreign files run without a whole sandbox')
  })
}

function requireWhole(missing: readonly string[]): void {
  if (missing.length === 0) return
  throw new Error(
    `NMP_SANDBOX is "require", and here the processes that read foreign files would run without ${missing.join(', ')}. ` +
      'Use a newer kernel, let the container make these calls, or set NMP_SANDBOX=auto.',
  )
}
