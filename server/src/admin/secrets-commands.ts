import { recordAudit } from '../audit/service.ts'
import { inTransaction } from '../db/database.ts'
import { waitForOtherStarts } from '../db/settings.ts'
import { forgetPayloads, resealPayloads } from '../identity/provider/payloads.ts'
import { forgetTotpSecrets, resealTotpSecrets } from '../identity/second-step/service.ts'
import type { SecretBox } from '../secrets/box.ts'
import { createKey, keyFileIn, takeNextKey, writeNextKey } from '../secrets/key-file.ts'
import { createBoxOf, findKeyId, loadBox, recordKey } from '../secrets/secrets.ts'
import { forgetSettings, resealSettings, sealSettings } from '../secrets/settings.ts'
import type { AdminCommand, AdminContext } from './command.ts'

export const rotateSecrets: AdminCommand = {
  name: ['secrets', 'rotate'],
  positionals: [],
  options: {},
  optionUsage: [],
  about:
    'Encrypt the secrets in the database with a new key: that of the data folder is replaced, and running processes follow. Where NMP_SECRET_KEY is set, NMP_SECRET_KEY_NEXT is the new one.',
  async run(context) {
    const known = await findKeyId(context.db)
    const from = await loadBox(context.config, known)
    const next = await prepareNext(context)
    await inTransaction(context.db, async (trx) => {
      await waitForOtherStarts(trx)
      if ((await findKeyId(trx)) !== known)
        throw new Error('Somebody else rotates the key just now. Look what came of it.')
      const secrets = { seal: async (text: string, place: string) => from.seal(text, place), open: async () => '' }
      await sealSettings(trx, secrets)
      await resealSettings(trx, from, next.box)
      await resealPayloads(trx, from, next.box)
      await resealTotpSecrets(trx, from, next.box)
      await recordKey(trx, next.box)
      await recordAudit(trx, 'operator', {
        action: 'secrets.rotate',
        resource: { kind: 'secret_key', id: next.box.keyId },
      })
    })
    return next.finish()
  },
}

export const resetSecrets: AdminCommand = {
  name: ['secrets', 'reset'],
  positionals: [],
  options: { yes: { type: 'boolean', default: false } },
  optionUsage: ['--yes'],
  about:
    'For a lost key: throw away every secret in the database and begin with the key that is set or in the data folder. Everybody signs in again, links that were handed out end, and imports that wait with a token of their source need it again.',
  async run({ db, config }, _positionals, { yes }) {
    if (yes !== true) throw new Error('This ends every session and every link that was handed out. Say --yes to do it.')
    const box = await loadBox(config, undefined)
    await inTransaction(db, async (trx) => {
      await waitForOtherStarts(trx)
      await forgetSettings(trx)
      await forgetPayloads(trx)
      await forgetTotpSecrets(trx)
      await recordKey(trx, box)
      await recordAudit(trx, 'operator', { action: 'secrets.reset', resource: { kind: 'secret_key', id: box.keyId } })
    })
    return `The secrets begin anew with the key ${box.keyId}. Restart every process of this database.`
  },
}

interface NextKey {
  box: SecretBox
  /** After the database has taken it. */
  finish(): Promise<string>
}

async function prepareNext({ config }: AdminContext): Promise<NextKey> {
  if (config.NMP_SECRET_KEY === undefined) {
    const path = keyFileIn(config.NMP_DATA_DIR)
    const secret = createKey()
    await writeNextKey(path, secret)
    const box = createBoxOf(secret, path)
    return {
      box,
      async finish() {
        await takeNextKey(path)
        return `${path} holds the new key ${box.keyId}. Processes with this data folder follow by themselves.`
      },
    }
  }
  const secret = config.NMP_SECRET_KEY_NEXT
  if (secret === undefined)
    throw new Error('NMP_SECRET_KEY is set, so the new key must be given: set NMP_SECRET_KEY_NEXT to it.')
  const box = createBoxOf(secret, 'NMP_SECRET_KEY_NEXT')
  const finish = async () =>
    `The database has the new key ${box.keyId}. Set NMP_SECRET_KEY to it and restart every process: until then they refuse to sign in.`
  return { box, finish }
}
