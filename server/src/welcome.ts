import { isCodecInstalled } from '@nmp/formats/codec/library'
import { firstEmail } from './access/first-account.ts'
import { programVersion } from './config.ts'
import type { Context } from './context.ts'
import { inTransaction } from './db/database.ts'
import { waitForOtherStarts } from './db/settings.ts'
import { createLocalAccount, createOneTimeCode, hasPassword } from './identity/local-accounts.ts'
import { createUser, findUserByEmail, hasUsers, type User } from './identity/users/service.ts'

const linkMinutes = 15

/** What the program says when it is ready: where it is, and how the person at this machine gets in. */
export async function renderWelcome(context: Context, isEmbedded: boolean): Promise<string> {
  const { config, publicUrl } = context
  const lines = [
    ...(config.NMP_ROLE === 'worker' ? [] : [['console', `${publicUrl}/`]]),
    ['API', `${publicUrl}/docs`],
    ['data', isEmbedded ? config.NMP_DATA_DIR : 'in the configured database'],
    ...(isCodecInstalled() ? [] : [['codec', 'not installed: videos are kept and shown as they are (docs/media.md)']]),
    ...(await describeSignIn(context)),
  ]
  const width = Math.max(...lines.map(([name = '']) => name.length))
  const body = lines.map(([name = '', text]) => `  ${name.padEnd(width)}  ${text}`).join('\n')
  return `\nnmp ${programVersion}, ${config.NMP_CHANNEL} channel\n\n${body}\n\n`
}

async function describeSignIn({ config, db, publicUrl }: Context): Promise<string[][]> {
  if (config.NMP_ROLE === 'worker') return []
  if (config.NMP_OIDC_ISSUER) return [['sign in', `by ${config.NMP_OIDC_ISSUER}`]]
  const user = await findFirstAccount({ config, db })
  if (!user) return [['sign in', `${publicUrl}/account (create an account: npm run -s admin -- user add EMAIL)`]]
  if (await hasPassword(db, user.id)) return [['sign in', `${publicUrl}/account as ${firstEmail}`]]
  const code = await createOneTimeCode(db, user.id, 'sign_in', linkMinutes)
  return [
    ['account', `${firstEmail}, no password yet`],
    ['sign in', `${publicUrl}/sign-in?code=${code}`],
    ['', `(once, within ${linkMinutes} minutes; the next start prints a new link)`],
  ]
}

/** On an empty database somebody must be first; of several processes that start at once, one makes the account. */
async function findFirstAccount({ config, db }: Pick<Context, 'config' | 'db'>): Promise<User | undefined> {
  if (config.NMP_DEMO === 'none') return undefined
  return inTransaction(db, async (trx) => {
    await waitForOtherStarts(trx)
    if (await hasUsers(trx)) return findUserByEmail(trx, firstEmail)
    const user = await createUser(trx, 'program', { email: firstEmail, displayName: 'Admin' })
    await createLocalAccount(trx, user.id)
    return user
  })
}
