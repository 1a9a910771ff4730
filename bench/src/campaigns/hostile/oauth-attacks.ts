import { createHash, randomBytes } from 'node:crypto'
import { type Browser, createBrowser } from '../../../../server/test/browser.ts'
import { type HostileGround, password } from './ground.ts'
import { type Family, judge, type Verdict } from './verdict.ts'

const console_ = 'nmp-console'
const cli = 'nmp-cli'
const loopback = 'http://127.0.0.1:49152/callback'

type Fields = Record<string, string>

/** One client at the embedded issuer, by hand: no library would send what is sent here. */
function openIssuer({ program, ada }: HostileGround) {
  const { url } = program
  const home = `${url}/signed-in`
  const verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const usual: Fields = {
    client_id: console_,
    response_type: 'code',
    scope: 'openid email',
    redirect_uri: home,
    state: 'state-1',
    code_challenge,
    code_challenge_method: 'S256',
  }
  const ask = (fields: Fields): string => `${url}/oidc/auth?${new URLSearchParams(fields)}`
  const post = async (path: string, fields: Fields): Promise<{ status: number; body: Fields }> => {
    const response = await fetch(`${url}/oidc/${path}`, { method: 'POST', body: new URLSearchParams(fields) })
    return { status: response.status, body: (await response.json().catch(() => ({}))) as Fields }
  }
  const signIn = async (): Promise<Browser> => {
    const browser = createBrowser(url)
    await browser.open('/sign-in')
    await browser.submit({ email: ada.email, password })
    return browser
  }
  /** A good code of a browser that is signed in, and what would redeem it. */
  const getCode = async (browser: Browser, more: Fields = {}): Promise<Fields> => {
    const { address } = await browser.open(ask({ ...usual, ...more }))
    const code = new URL(address).searchParams.get('code')
    if (!code) throw new Error(`there is no code: ${address}`)
    return { grant_type: 'authorization_code', client_id: console_, redirect_uri: home, code, code_verifier: verifier }
  }
  const isKnown = async (token: string | undefined): Promise<boolean> =>
    (await program.call('GET', '/api/v1/users/me', { bearer: token ?? 'none' })).status === 200
  return { url, home, usual, ask, post, signIn, getCode, isKnown, verifier }
}

type Issuer = ReturnType<typeof openIssuer>
type Attack = [name: string, look: (issuer: Issuer) => Promise<Omit<Verdict, 'name'>>]

/** A request that must give no code: refused on a page of ours, or told so at the registered address. */
const refusesRequest =
  (change: (issuer: Issuer) => Fields): Attack[1] =>
  async (issuer) => {
    const browser = await issuer.signIn()
    const fields = Object.fromEntries(
      Object.entries({ ...issuer.usual, ...change(issuer) }).filter(([, value]) => value !== ''),
    )
    const { address, status } = await browser.open(issuer.ask(fields))
    const target = new URL(address)
    const error = target.searchParams.get('error') ?? new URLSearchParams(target.hash.slice(1)).get('error')
    const isHome = target.origin === issuer.url
    const held =
      isHome &&
      !target.searchParams.has('code') &&
      !/code=|token=/.test(target.hash) &&
      (error !== null || status === 400)
    return { held, words: error ?? `${status} at ${target.origin === issuer.url ? target.pathname : target.origin}` }
  }

/** A code that must not be redeemed so. */
const refusesCode =
  (change: (issuer: Issuer) => Fields, more: Fields = {}): Attack[1] =>
  async (issuer) => {
    const fields = { ...(await issuer.getCode(await issuer.signIn(), more)), ...change(issuer) }
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
    const { status, body } = await issuer.post('token', sent)
    return { held: status >= 400 && status < 500 && !body.access_token, words: `${status} ${body.error}` }
  }

const device = 'urn:ietf:params:oauth:grant-type:device_code'

const attacks: Attack[] = [
  ['no PKCE', refusesRequest(() => ({ code_challenge: '', code_challenge_method: '' }))],
  ['plain PKCE', refusesRequest(() => ({ code_challenge_method: 'plain' }))],
  ['PKCE without a method', refusesRequest(() => ({ code_challenge_method: '' }))],
  ['a short challenge', refusesRequest(() => ({ code_challenge: 'abc' }))],
  ['a foreign redirect', refusesRequest(() => ({ redirect_uri: 'https://evil.example/' }))],
  [
    'a redirect with our name in front',
    refusesRequest(({ home }) => ({ redirect_uri: home.replace('127.0.0.1', '127.0.0.1.evil.example') })),
  ],
  [
    'a redirect with a user',
    refusesRequest(({ home }) => ({ redirect_uri: home.replace('http://', 'http://evil.example@') })),
  ],
  ['a redirect with a path more', refusesRequest(({ home }) => ({ redirect_uri: `${home}/../evil` }))],
  ['a redirect with a query', refusesRequest(({ home }) => ({ redirect_uri: `${home}?next=//evil.example` }))],
  ['a redirect with a fragment', refusesRequest(({ home }) => ({ redirect_uri: `${home}#x` }))],
  ['a redirect in capitals', refusesRequest(({ home }) => ({ redirect_uri: home.replace('signed-in', 'Signed-In') }))],
  ['a redirect to another port', refusesRequest(({ home }) => ({ redirect_uri: home.replace(/:\d+/, ':1') }))],
  ['a redirect that is a script', refusesRequest(() => ({ redirect_uri: 'javascript:alert(1)' }))],
  ['no redirect', refusesRequest(() => ({ redirect_uri: '' }))],
  ["the command line's redirect for the console", refusesRequest(() => ({ redirect_uri: loopback }))],
  ["the console's redirect for the command line", refusesRequest(() => ({ client_id: cli }))],
  ['a client that is not there', refusesRequest(() => ({ client_id: 'evil' }))],
  ['an implicit token', refusesRequest(() => ({ response_type: 'token' }))],
  ['a code and a token', refusesRequest(() => ({ response_type: 'code id_token token', nonce: 'n' }))],
  ['a form for an answer', refusesRequest(() => ({ response_mode: 'form_post' }))],
  ['a request by address', refusesRequest(() => ({ request_uri: 'http://169.254.169.254/' }))],
  [
    'a request object without a signature',
    refusesRequest(() => ({ request: `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.` })),
  ],
  ['another resource', refusesRequest(() => ({ resource: 'urn:other:api' }))],
  ['another verifier', refusesCode(() => ({ code_verifier: randomBytes(32).toString('base64url') }))],
  ['no verifier', refusesCode(() => ({ code_verifier: '' }))],
  ['the challenge as the verifier', refusesCode(({ usual }) => ({ code_verifier: usual.code_challenge ?? '' }))],
  ['a code of another client', refusesCode(() => ({ client_id: cli }))],
  ['another redirect with the code', refusesCode(({ url }) => ({ redirect_uri: `${url}/` }))],
  ['a made-up code', refusesCode(() => ({ code: randomBytes(32).toString('base64url') }))],
  ['a password for a token', refusesCode(() => ({ grant_type: 'password', username: 'ada@example.org', password }))],
  ['a client for a token', refusesCode(() => ({ grant_type: 'client_credentials' }))],
  [
    'a code used twice',
    async ({ getCode, signIn, post, isKnown }) => {
      const fields = await getCode(await signIn())
      const first = await post('token', fields)
      const second = await post('token', fields)
      const isOver = !(await isKnown(first.body.access_token))
      return {
        held: first.status === 200 && second.status === 400 && isOver,
        words: `${second.body.error}, the first ended: ${isOver}`,
      }
    },
  ],
  [
    'a code used six times at once',
    async ({ getCode, signIn, post }) => {
      const fields = await getCode(await signIn())
      const answers = await Promise.all(Array.from({ length: 6 }, () => post('token', fields)))
      const good = answers.filter(({ status }) => status === 200).length
      return { held: good <= 1 && answers.every(({ status }) => status < 500), words: `${good} got a token` }
    },
  ],
  [
    'a refresh token used twice',
    async ({ getCode, signIn, post, isKnown }) => {
      const { body } = await post('token', await getCode(await signIn()))
      const refresh = { grant_type: 'refresh_token', client_id: console_, refresh_token: body.refresh_token ?? '' }
      const first = await post('token', refresh)
      const second = await post('token', refresh)
      const isOver = !(await isKnown(first.body.access_token))
      return {
        held: first.status === 200 && second.status === 400 && isOver,
        words: `${second.body.error}, the session ended: ${isOver}`,
      }
    },
  ],
  [
    'a refresh token of another client',
    async ({ getCode, signIn, post }) => {
      const { body } = await post('token', await getCode(await signIn()))
      const { status, body: answer } = await post('token', {
        grant_type: 'refresh_token',
        client_id: cli,
        refresh_token: body.refresh_token ?? '',
      })
      return { held: status === 400, words: `${status} ${answer.error}` }
    },
  ],
  [
    'an access token as a refresh token',
    async ({ getCode, signIn, post }) => {
      const { body } = await post('token', await getCode(await signIn()))
      const { status, body: answer } = await post('token', {
        grant_type: 'refresh_token',
        client_id: console_,
        refresh_token: body.access_token ?? '',
      })
      return { held: status === 400, words: `${status} ${answer.error}` }
    },
  ],
  [
    'an ID token at the API',
    async ({ getCode, signIn, post, isKnown }) => {
      const { body } = await post('token', await getCode(await signIn()))
      return { held: body.id_token !== undefined && !(await isKnown(body.id_token)), words: 'not taken' }
    },
  ],
  [
    'a silent code for the command line',
    async ({ signIn, ask, usual }) => {
      const fields = { ...usual, client_id: cli, redirect_uri: loopback, prompt: 'none' }
      const { address } = await (await signIn()).open(ask(fields))
      const { searchParams } = new URL(address)
      return {
        held: !searchParams.has('code') && searchParams.get('error') === 'consent_required',
        words: searchParams.get('error') ?? 'no error',
      }
    },
  ],
  [
    'a silent code of a browser that is not signed in',
    async ({ url, ask, usual }) => {
      const { address } = await createBrowser(url).open(ask({ ...usual, prompt: 'none' }))
      const { searchParams } = new URL(address)
      return {
        held: !searchParams.has('code') && searchParams.get('error') === 'login_required',
        words: searchParams.get('error') ?? 'no error',
      }
    },
  ],
  [
    'a code for the command line by a form of another site',
    async ({ signIn, ask, usual }) => {
      const browser = await signIn()
      await browser.open(ask({ ...usual, client_id: cli, redirect_uri: loopback }))
      const { status, address } = await browser.submit(
        { confirm: 'yes' },
        { headers: { origin: 'https://evil.example' } },
      )
      return { held: status === 403 && !address.includes('code='), words: String(status) }
    },
  ],
  [
    "somebody else's sign-in under way",
    async ({ url, ask, usual, signIn }) => {
      const begun = await createBrowser(url).open(ask(usual))
      const { status, address } = await (await signIn()).open(begun.address)
      return { held: !address.includes('code='), words: `${status}` }
    },
  ],
  [
    'the state comes back as it was, and is escaped',
    async ({ signIn, ask, usual }) => {
      const state = '"><script>alert(1)</script>&code=x'
      const { address } = await (await signIn()).open(ask({ ...usual, state }))
      const { searchParams } = new URL(address)
      return {
        held: searchParams.get('state') === state && searchParams.getAll('code').length === 1,
        words: 'as it was',
      }
    },
  ],
  [
    'a device code that nobody has confirmed',
    async ({ post }) => {
      const begun = await post('device/auth', { client_id: cli, scope: 'openid' })
      const { status, body } = await post('token', {
        grant_type: device,
        client_id: cli,
        device_code: begun.body.device_code ?? '',
      })
      return { held: status === 400 && body.error === 'authorization_pending', words: body.error ?? String(status) }
    },
  ],
  [
    'a device code of another client',
    async ({ post }) => {
      const begun = await post('device/auth', { client_id: cli, scope: 'openid' })
      const { status, body } = await post('token', {
        grant_type: device,
        client_id: console_,
        device_code: begun.body.device_code ?? '',
      })
      return { held: status === 400, words: body.error ?? String(status) }
    },
  ],
  [
    'a device code taken six times at once',
    async ({ post, signIn }) => {
      const begun = await post('device/auth', { client_id: cli, scope: 'openid' })
      const browser = await signIn()
      await browser.open(begun.body.verification_uri_complete ?? '')
      await browser.submit({})
      await browser.submit({ confirm: 'yes' })
      const fields = { grant_type: device, client_id: cli, device_code: begun.body.device_code ?? '' }
      const answers = await Promise.all(Array.from({ length: 6 }, () => post('token', fields)))
      const good = answers.filter(({ status }) => status === 200).length
      return { held: good <= 1 && answers.every(({ status }) => status < 500), words: `${good} got a token` }
    },
  ],
  [
    'codes of devices that are guessed',
    async ({ signIn }) => {
      const browser = await signIn()
      await browser.open('/device')
      const statuses: number[] = []
      for (let index = 0; index < 8; index++)
        statuses.push((await browser.submit({ user_code: `BCDF-GHJ${'KLMNPQRS'[index]}` })).status)
      return { held: statuses.every((status) => status < 500), words: [...new Set(statuses)].join(', ') }
    },
  ],
  [
    'signing out by a link, to another site',
    async ({ signIn, url }) => {
      const browser = await signIn()
      const { address } = await browser.open(
        `/oidc/session/end?client_id=${console_}&post_logout_redirect_uri=https://evil.example/`,
      )
      const account = await browser.open('/account')
      return {
        held: new URL(address).origin === url && account.text.includes('ada@example.org'),
        words: 'still signed in',
      }
    },
  ],
  [
    'a client that registers itself',
    async ({ post }) => {
      const { status } = await post('reg', { redirect_uris: 'https://evil.example/' })
      return { held: status === 404 || status === 405, words: String(status) }
    },
  ],
]

export const oauthAttacks: Family = {
  name: 'oauth',
  title: 'OAuth attacks',
  bar: 'no code and no token for who should have none; what was used twice is ended',
  run: async function* (ground) {
    for (const [name, look] of attacks) yield await judge(name, () => look(openIssuer(ground)))
  },
}
