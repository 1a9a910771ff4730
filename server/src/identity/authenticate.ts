import type { Principal } from '../access/principal.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { createSessionVerifier } from './sessions.ts'
import { findTokenPrincipal } from './tokens/service.ts'
import { findSessionPrincipal } from './users/service.ts'

/** Who a bearer is: a personal access token by its prefix, anything else as a session of the identity provider. */
export function createAuthenticator(options: { db: Database; secrets: Secrets; publicUrl: string; config: Config }) {
  const { db } = options
  const sessions = createSessionVerifier(options)
  return async (bearer: string): Promise<Principal | undefined> => {
    if (bearer.startsWith('nmp_')) return findTokenPrincipal(db, bearer)
    const claims = await sessions.verify(bearer)
    return claims && findSessionPrincipal(db, claims)
  }
}
