/**
 * Where to go after signing in: an address on our own origin, or the start page. Absolute, since `//evil` as a path of
 * ours would be a host of its own in a relative redirect.
 */
export function resolveNext(next: string | null | undefined, publicUrl: string): string {
  const start = new URL('/', publicUrl)
  const wanted = next ? URL.parse(next, start.href) : null
  const isOurs = wanted && wanted.origin === start.origin && !wanted.username && !wanted.password
  return isOurs && wanted.href !== start.href ? wanted.href : new URL(consolePath, start).href
}

/**
 * The console, told that this browser has a session now: it asks our issuer for a token of its own at once, without a
 * question. The mark grants nothing; without a session the console opens as for a stranger.
 */
export const consolePath = '/?signed-in=1'
