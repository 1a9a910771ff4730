import { createHash } from 'node:crypto'
import { forgeAccessTokens, forgeSessions } from './forged-tokens.ts'
import type { HostileGround } from './ground.ts'
import { type Family, judge, judgeSeveral, type Verdict } from './verdict.ts'

export const forgedCredentials: Family = {
  name: 'forged',
  title: 'forged addresses and tokens',
  bar: '401, 403 or 404; never what was asked for',
  run: async function* (ground) {
    yield* judgeTokens(ground)
    yield* judgeAddresses(ground)
    yield* judgeUploadLinks(ground)
  },
}

const me = '/api/v1/users/me'

async function* judgeTokens({ program, ada, mallory }: HostileGround): AsyncGenerator<Verdict> {
  const { keys } = JSON.parse((await program.call('GET', '/oidc/jwks')).body)
  const { user } = (await program.call('GET', me, { bearer: ada.bearer })).body
  const made = await ada.client.users.createToken({ body: { name: 'forged', scopes: ['workspace:read'] } })
  const revoked = await ada.client.users.createToken({ body: { name: 'revoked', scopes: ['workspace:read'] } })
  await ada.client.users.revokeToken({ token_id: revoked.item.id })
  await program.mustAdmin('user', 'add', 'leaver@example.org')
  const ended = await program.mustAdmin('session', 'leaver@example.org')
  await program.call('POST', `${me}/sign-out`, { bearer: ended })
  const cases: [string, string][] = [
    ...forgeSessions(mallory.bearer, keys[0], user.id),
    ...forgeAccessTokens(made.token),
    ['a revoked token', revoked.token],
    ['an ended session', ended],
  ]
  for (const [name, bearer] of cases)
    yield await judge(name, async () => {
      const api = await program.call('GET', me, { bearer })
      const door = await program.call('GET', '/hf/api/whoami-v2', { bearer })
      return { held: api.status === 401 && door.status === 401, words: `${api.status}, at the Hub door ${door.status}` }
    })
  const inPlaces: [string, string, Record<string, string>][] = [
    ['a good session in the query', `${me}?access_token=${ada.bearer}`, {}],
    ['a good session in a cookie', me, { cookie: `access_token=${ada.bearer}; nmp_session=${ada.bearer}` }],
    ['a good token as Basic', me, { authorization: `Basic ${Buffer.from(`x:${made.token}`).toString('base64')}` }],
    ['two credentials', me, { authorization: `Bearer ${ada.bearer}, Bearer x` }],
  ]
  for (const [name, path, headers] of inPlaces)
    yield await judge(name, async () => {
      const { status } = await program.call('GET', path, { headers })
      return { held: status === 401 || status === 422, words: String(status) }
    })
}

/** What is made of an address that was signed for one file. */
const spoil = (good: string, other: string): [name: string, address: string][] => {
  const change = (name: string, value: (old: string) => string): string => {
    const url = new URL(good)
    url.searchParams.set(name, value(url.searchParams.get(name) ?? ''))
    return url.href
  }
  const drop = (name: string): string => {
    const url = new URL(good)
    url.searchParams.delete(name)
    return url.href
  }
  return [
    ['another file', change('path', () => 'meta/stats.json')],
    ['a file that leads out', change('path', () => '../../../../etc/passwd')],
    ['the file in other words', change('path', (path) => `./${path}`)],
    ['the file twice', `${good}&path=meta/stats.json`],
    ['public access', change('access', () => 'public')],
    ['no access', drop('access')],
    ['a later end', change('expires', (end) => String(Number(end) + 3600))],
    ['an end without end', change('expires', () => '99999999999999')],
    ['an end that is no number', change('expires', () => 'NaN')],
    ['a negative end', change('expires', () => '-1')],
    ['an end with a fraction', change('expires', (end) => `${end}.5`)],
    ['no end', drop('expires')],
    ['no signature', drop('signature')],
    ['an empty signature', change('signature', () => '')],
    ['half a signature', change('signature', (text) => text.slice(0, 20))],
    ['a signature with a letter more', change('signature', (text) => `${text}AAAA`)],
    ['another signature', change('signature', () => 'A'.repeat(43))],
    ['the signature of another file', change('signature', () => new URL(other).searchParams.get('signature') ?? '')],
    ['two signatures', `${good}&signature=${'A'.repeat(43)}`],
    ['another kind', good.replace('/file?', '/video?')],
    ['the whole dataset', good.replace('/file?', '/archive?')],
    ['another revision', good.replace(/rev_[0-9a-f]+/, `rev_${'0'.repeat(32)}`)],
    ['another dataset', good.replace(/ds_[0-9a-f]+/, `ds_${'0'.repeat(32)}`)],
    ['the address in capitals', good.replace('/api/v1/media/', '/API/v1/media/')],
    [
      'a signature of an HMAC with an empty key',
      change('signature', () => createHash('sha256').update(good).digest('base64url')),
    ],
  ]
}

async function* judgeAddresses({ ada, program, dataset }: HostileGround): AsyncGenerator<Verdict> {
  const { body } = await program.call('GET', `/api/v1/catalog/datasets/${dataset.id}/files`, { bearer: ada.bearer })
  const signed = [...JSON.stringify(body).matchAll(/"(http[^"]*\/file\?[^"]*signature=[^"]*)"/g)].map(
    ([, url]) => url ?? '',
  )
  const [good = '', other = ''] = ['info.json', 'tasks.parquet'].map((name) => signed.find((url) => url.includes(name)))
  const bytes = async (url: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(url, { redirect: 'manual' })
    return { status: response.status, text: await response.text() }
  }
  const whole = await bytes(good)
  if (whole.status !== 200) throw new Error(`the good address gave ${whole.status}: ${good}`)
  yield* judgeSeveral(spoil(good, other), 4, ([name, url]) =>
    judge(`a signed address with ${name}`, async () => {
      const { status, text } = await bytes(url)
      return { held: [400, 403, 404, 422].includes(status) && text !== whole.text, words: String(status) }
    }),
  )
  yield await judge('a signed address with another file in front', async () => {
    const { status, text } = await bytes(good.replace('?', '?path=meta/stats.json&'))
    return { held: text === whole.text || status >= 400, words: `${status}, the file that was signed` }
  })
}

/** Links of one push are worth nothing for another, another file, or another size. */
async function* judgeUploadLinks({ program, ada, mallory }: HostileGround): AsyncGenerator<Verdict> {
  const content = Buffer.from('bytes of a push')
  const oid = createHash('sha256').update(content).digest('hex')
  const plan = async (person: typeof ada): Promise<string> => {
    const { bearer, org } = person
    const repository = { type: 'dataset', name: 'links', organization: org }
    await program.call('POST', '/hf/api/repos/create', { bearer, body: repository })
    const files = [{ path: 'a.bin', size: content.length, sample: '' }]
    await program.call('POST', `/hf/api/datasets/${org}/links/preupload/main`, { bearer, body: { files } })
    const body = { operation: 'upload', transfers: ['basic'], objects: [{ oid, size: content.length }] }
    const answer = await program.call('POST', `/hf/datasets/${org}/links.git/info/lfs/objects/batch`, { bearer, body })
    const text = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body
    return text.objects[0].actions.upload.href
  }
  const [good, foreign] = [await plan(ada), await plan(mallory)]
  const push = (url: string): string => /psh_[0-9a-f]+/.exec(url)?.[0] ?? ''
  const cases: [string, string][] = [
    ["another's push", good.replace(push(good), push(foreign))],
    ['another file', good.replace(oid, 'f'.repeat(64))],
    ['another size', good.replace(/size=\d+/, 'size=999999999')],
    ['a negative size', good.replace(/size=\d+/, 'size=-1')],
    ['a later end', good.replace(/expires=\d+/, 'expires=9999999999')],
    ['no end', good.replace(/expires=\d+/, 'expires=')],
    ['no signature', good.replace(/signature=.*/, '')],
    [
      "another's signature",
      good.replace(/signature=.*/, `signature=${new URL(foreign).searchParams.get('signature')}`),
    ],
    ['a part of it', good.replace('?', '/parts/1?')],
    ['its end without parts', good.replace('?', '/complete?')],
    ['a push that is not there', good.replace(push(good), `psh_${'0'.repeat(32)}`)],
  ]
  for (const [name, url] of cases)
    yield await judge(`an upload link with ${name}`, async () => {
      const method = url.includes('/complete') ? 'POST' : 'PUT'
      const { status } = await fetch(url, { method, body: new Uint8Array(content) })
      return { held: [400, 403, 404, 422].includes(status), words: String(status) }
    })
  const { status } = await fetch(good, { method: 'PUT', body: 'other bytes....' })
  yield { name: 'an upload link with other bytes', held: status === 400, words: String(status) }
}
