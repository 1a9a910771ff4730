import { importJWK, SignJWT } from 'jose'
import type { Context } from '../src/context.ts'
import { apiAudience, ownIssuer } from '../src/identity/sessions.ts'
import { getSigningKeys } from '../src/identity/signing-keys.ts'

/** A session of the console, signed as the program signs them, whose person has signed in as `amr` says. */
export async function signSession(
  { db, secrets, publicUrl }: Pick<Context, 'db' | 'secrets' | 'publicUrl'>,
  user: { id: string; email: string },
  amr: readonly string[],
): Promise<string> {
  const [key] = await getSigningKeys(db, secrets)
  return new SignJWT({
    email: user.email,
    email_verified: true,
    sid: crypto.randomUUID(),
    client_id: 'nmp-console',
    amr,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
    .setIssuer(ownIssuer(publicUrl))
    .setAudience(apiAudience)
    .setSubject(user.id)
    .setJti(crypto.randomUUID())
    .setIssuedAt()
    .setExpirationTime('10m')
    .sign(await importJWK(key, 'ES256'))
}
