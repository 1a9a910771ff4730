import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../errors.ts'
import { describeOverload, isPassingStatus } from './retries.ts'

interface Asked {
  repoId: string
  revision: string | null
  hasToken: boolean
  host: string
}

/** The cause of a refusal that accepting terms would lift. */
export const gated = Symbol('gated')

/** What a hub's refusal means for the person who started the import. Its own words are not repeated. */
export const explainHubRefusal = (asked: Asked, status: number, headers: IncomingHttpHeaders): ServiceError => {
  const { repoId, hasToken, host } = asked
  const code = String(headers['x-error-code'] ?? '')
  if (code === 'GatedRepo')
    return new ServiceError(
      'source_forbidden',
      hasToken
        ? `${repoId} is gated, and the account of this token has no access. Accept its terms on ${host} with that account, then import again.`
        : `${repoId} is gated. Accept its terms on ${host}, then import again with an access token of the same account.`,
      { cause: gated },
    )
  if (code === 'RevisionNotFound')
    return new ServiceError(
      'source_not_found',
      `${repoId} has no branch, tag or commit ${JSON.stringify((asked.revision ?? 'main').slice(0, 100))}.`,
    )
  if (code === 'EntryNotFound')
    return new ServiceError(
      'source_not_found',
      `${host} lists a file of ${repoId} that it does not have. Import it again.`,
    )
  if (code === 'RepoNotFound' || status === 404 || (status === 401 && !hasToken))
    return new ServiceError(
      'source_not_found',
      hasToken
        ? `There is no dataset repository ${repoId} on ${host}, or the account of this token may not read it. Check the name, and that the token may read it.`
        : `There is no dataset repository ${repoId} on ${host}, or it is private. Check the name; for a private repository give an access token that may read it.`,
    )
  if (status === 401)
    return new ServiceError(
      'source_forbidden',
      `${host} does not accept the access token. Create a new one with read permission, and import again.`,
    )
  if (status === 403)
    return new ServiceError(
      'source_forbidden',
      `${host} refuses access to ${repoId}. Check that the access token may read it and that the repository is not disabled.`,
    )
  if (isPassingStatus(status)) return describeOverload(host, status, headers)
  return new ServiceError('source_invalid', `${host} answered with status ${status} when asked for ${repoId}.`)
}
