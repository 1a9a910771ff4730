import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

const audience = 'urn:nmp:api'

const describePerson = (id: string) => ({ email: `${id}@example.org`, email_verified: true, name: `Person ${id}` })

/** An identity provider that is not ours, as a company runs one: its own address and pages, and people we do not know. */
export async function startOutsideIssuer() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    /** From here on it answers, and lets the console at this address sign people in. */
    serve(consoleUrl: string): void {
      const provider = new Provider(url, {
        clients: [
          {
            client_id: 'console',
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code', 'refresh_token'],
            redirect_uris: [`${consoleUrl}/signed-in`],
            post_logout_redirect_uris: [`${consoleUrl}/`],
          },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        clientBasedCORS: (_context, origin) => origin === consoleUrl,
        findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...describePerson(id) }) }),
        extraTokenClaims: (_context, token) =>
          'accountId' in token && token.accountId ? describePerson(token.accountId) : undefined,
        features: {
          devInteractions: { enabled: true },
          resourceIndicators: {
            enabled: true,
            defaultResource: () => audience,
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({ scope: '', audience, accessTokenFormat: 'jwt' }),
          },
        },
      })
      server.on('request', provider.callback())
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
    },
  }
}
