import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { CredentialSource } from '../http/credentials.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { createSessionNotes } from './session-list/service.ts'
import { createSessionVerifier } from './sessions.ts'
import { createThrottle } from './throttle.ts'
import { findTokenPrincipal } from './tokens/service.ts'
import { findSessionPrincipal } from './users/service.ts'

/** Who a bearer is: a personal access token by its prefix, anything else as a session of the identity provider, which is noted where it was seen. */
export function createAuthenticator(options: {
  db: Database
  secrets: Secrets
  publicUrl: string
  config: Config
}): CredentialSource {
  const { db } = options
  const sessions = createSessionVerifier(options)
  const noteSession = createSessionNotes(db)
  return {
    countBadCredential: createThrottle(db, 'credentials', { most: 100, minutes: 1 }).count,
    async authenticate(bearer, from) {
      if (bearer.startsWith('nmp_')) return findTokenPrincipal(db, bearer)
      const claims = await sessions.verify(bearer)
      const principal = claims && (await findSessionPrincipal(db, claims))
      if (principal) await noteSession(claims, principal.userId, from)
      return principal
    },
  }
}
