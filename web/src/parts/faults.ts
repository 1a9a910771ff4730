import { ApiError, ConnectionError } from '../session/client.ts'

export const isOffline = (error: unknown): boolean => error instanceof ConnectionError && !navigator.onLine

export const describe = (error: unknown): string => {
  if (isOffline(error)) return 'You are offline. Try again when the network is back.'
  return error instanceof Error ? error.message : 'an unknown error occurred'
}

/** What the server says of one field of the body (`recipe`, `crop`, `left_pct`), or of anything inside it. */
export function findFault(error: unknown, ...path: readonly string[]): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const issue = error.issues.find(({ loc }) => {
    const place = loc[0] === 'body' ? loc.slice(1) : loc
    return path.every((part, at) => place[at] === part)
  })
  return issue?.msg
}
