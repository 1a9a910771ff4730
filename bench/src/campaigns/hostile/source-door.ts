import { setTimeout as sleep } from 'node:timers/promises'
import { type HostileGround, project } from './ground.ts'
import { judge, type Verdict } from './verdict.ts'

const codes =
  /^(source_not_allowed|source_unavailable|source_invalid|source_not_found|validation_failed|source_forbidden)$/
const deadlineMs = 180_000

/** An import from the address, to its end or to its first wait. */
export const judgeAddress = (ground: HostileGround, address: string, name: string): Promise<Verdict> =>
  judge(name, async () => {
    const { program, mallory } = ground
    const { bearer } = mallory
    const path = `/api/v1/orgs/${mallory.org}/projects/${project}/imports`
    const body = {
      source_kind: 'hdf5',
      dataset_slug: `address-${Math.random().toString(36).slice(2)}`,
      source_uri: address,
    }
    const created = await program.call('POST', path, { bearer, body })
    if (created.status !== 201) {
      const code = created.body.code ?? (Array.isArray(created.body.detail) ? 'validation_failed' : '')
      return { held: codes.test(code), words: `${created.status} ${code}` }
    }
    const own = `${path}/${created.body.item.id}`
    const end = Date.now() + deadlineMs
    while (Date.now() < end) {
      const { item } = (await program.call('GET', own, { bearer })).body
      if (item.status === 'failed')
        return { held: codes.test(item.error_code), words: `import failed: ${item.error_code}` }
      if (item.status === 'succeeded') return { held: false, words: 'imported' }
      // A source that does not answer is tried again later; that nothing was let in is known by then.
      if (item.retry_after && codes.test(item.error_code ?? '')) {
        await program.call('POST', `${own}/cancel`, { bearer })
        return { held: true, words: `import waits: ${item.error_code}` }
      }
      await sleep(300)
    }
    return { held: false, words: 'did not end' }
  })
