const most = 1000

/** A client fetches a repository by hundreds of requests within seconds; what the one before learned is not asked again so soon. */
export function createBriefMemory<T>(milliseconds: number) {
  const known = new Map<string, { value: T; until: number }>()

  return async (key: string, isWorthIt: (value: T) => boolean, learn: () => Promise<T>): Promise<T> => {
    const found = known.get(key)
    if (found && found.until > Date.now()) return found.value
    const value = await learn()
    known.delete(key)
    if (isWorthIt(value)) known.set(key, { value, until: Date.now() + milliseconds })
    const oldest = known.keys().next().value
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return value
  }
}
