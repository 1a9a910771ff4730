interface Entry<T> {
  opened: Promise<T>
  users: number
  isDropped: boolean
}

/** Opened things that the next request will need again: the last few stay open, each is closed when its last user is done. */
export interface OpenCache<T> {
  use<R>(key: string, open: () => Promise<T>, work: (thing: T) => Promise<R>): Promise<R>
  close(): Promise<void>
}

export function createOpenCache<T extends { close(): Promise<void> }>(keptCount: number): OpenCache<T> {
  const entries = new Map<string, Entry<T>>()

  const closeEntry = async (entry: Entry<T>): Promise<void> => {
    const opened = await entry.opened.catch(() => undefined)
    await opened?.close()
  }

  const drop = async (key: string, entry: Entry<T>): Promise<void> => {
    if (entry.isDropped) return
    if (entries.get(key) === entry) entries.delete(key)
    entry.isDropped = true
    if (entry.users === 0) await closeEntry(entry)
  }

  const take = (key: string, open: () => Promise<T>): Entry<T> => {
    const entry = entries.get(key) ?? { opened: open(), users: 0, isDropped: false }
    entries.delete(key)
    entries.set(key, entry)
    entry.users++
    return entry
  }

  return {
    async use(key, open, work) {
      const entry = take(key, open)
      try {
        for (const [oldKey, old] of entries) {
          if (entries.size <= keptCount) break
          await drop(oldKey, old)
        }
        return await work(await entry.opened)
      } catch (error) {
        // What could not be opened, or failed in use, is opened afresh for the next one.
        await drop(key, entry)
        throw error
      } finally {
        entry.users--
        if (entry.isDropped && entry.users === 0) await closeEntry(entry)
      }
    },
    async close() {
      for (const [key, entry] of [...entries]) await drop(key, entry)
    },
  }
}
