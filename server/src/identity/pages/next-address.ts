/**
 * Where to go after signing in: an address on our own origin, or the start page. Absolute, since `//evil` as a path of
 * ours would be a host of its own in a relative redirect.
 */
export function resolveNext(next: string | null | undefined, publicUrl: string): string {
  const start = new URL('/', publicUrl)
  const wanted = next ? URL.parse(next, start.href) : null
  return wanted && wanted.origin === start.origin && !wanted.username && !wanted.password ? wanted.href : start.href
}
