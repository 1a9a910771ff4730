import type { ClientMetadata } from 'oidc-provider'
import { cliClientId, consoleClientId } from '../client-ids.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost']

/** Both clients are ours and public: no secret to keep, PKCE instead. The console's codes go to our own pages, so nobody is asked to confirm them. */
export const listClients = (publicUrl: string): ClientMetadata[] => [
  {
    client_id: consoleClientId,
    client_name: 'nmp console',
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    response_modes: ['query', 'fragment'],
    redirect_uris: [`${publicUrl}/`, `${publicUrl}/signed-in`],
    post_logout_redirect_uris: [`${publicUrl}/`, `${publicUrl}/account/signed-out`],
  },
  {
    client_id: cliClientId,
    client_name: 'nmp command line',
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token', deviceGrant],
    response_types: ['code'],
    response_modes: ['query'],
    // A native client may use any port of these (RFC 8252, section 7.3).
    redirect_uris: loopbackHosts.flatMap((host) => [`http://${host}/callback`, `http://${host}/`]),
  },
]
