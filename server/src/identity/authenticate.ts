import type { Principal } from '../access/principal.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { RequestClient } from '../http/route.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { createSessionNotes } from './session-list/service.ts'
import { createSessionVerifier } from './sessions.ts'
import { findTokenPrincipal } from './tokens/service.ts'
import { findSessionPrincipal } from './users/service.ts'

/** Who a bearer is: a personal access token by its prefix, anything else as a session of the identity provider, which is noted where it was seen. */
export function createAuthenticator(options: { db: Database; secrets: Secrets; publicUrl: string; config: Config }) {
  const { db } = options
  const sessions = createSessionVerifier(options)
  const noteSession = createSessionNotes(db)
  return async (bearer: string, from: RequestClient): Promise<Principal | undefined> => {
    if (bearer.startsWith('nmp_')) return findTokenPrincipal(db, bearer)
    const claims = await sessions.verify(bearer)
    const principal = claims && (await findSessionPrincipal(db, claims))
    if (principal) await noteSession(claims, principal.userId, from)
    return principal
  }
}
