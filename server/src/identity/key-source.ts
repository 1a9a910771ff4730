import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'

export interface KeySet {
  resolve: JWTVerifyGetKey
  /** Changes when the keys do, so that what was verified with keys now gone is verified again. */
  version: string
}

/** The public keys of one issuer. */
export interface KeySource {
  /** The keys as last seen; throws only when none were ever seen. */
  get(): Promise<KeySet>
  /** For an unknown key id: looks again, at most once in the cooldown. */
  refetch(): Promise<KeySet>
}

interface KeySourceOptions {
  maxAgeMs: number
  cooldownMs: number
}

/**
 * Keys are read when first needed and again, in the background, when they are old. A failing read keeps the last good
 * keys: an outage of the issuer ends nobody's session.
 */
export function createKeySource(
  load: () => Promise<JSONWebKeySet>,
  { maxAgeMs, cooldownMs }: KeySourceOptions,
): KeySource {
  let current: KeySet | undefined
  let failure: unknown
  let pending: Promise<void> | undefined
  let loadedAt = 0
  let triedAt = Number.NEGATIVE_INFINITY

  const reload = (): Promise<void> => {
    triedAt = Date.now()
    pending ??= load()
      .then(
        (keys) => {
          const version = JSON.stringify(keys)
          if (current?.version !== version) current = { resolve: createLocalJWKSet(keys), version }
          loadedAt = Date.now()
          failure = undefined
        },
        (error: unknown) => {
          failure = error
        },
      )
      .finally(() => {
        pending = undefined
      })
    return pending
  }
  const mayTry = (): boolean => pending !== undefined || Date.now() - triedAt >= cooldownMs
  const getCurrent = (): KeySet => {
    if (!current) throw failure
    return current
  }

  return {
    async get() {
      if (!current && mayTry()) await reload()
      else if (Date.now() - loadedAt >= maxAgeMs && mayTry()) void reload()
      return getCurrent()
    },
    async refetch() {
      if (mayTry()) await reload()
      return getCurrent()
    },
  }
}
