import { text } from 'node:stream/consumers'
import { storeIdKey } from '../storage/keys.ts'
import type { ObjectStorage } from '../storage/storage.ts'

/** Whether the store already belongs to that database. Throws where it is another's: objects of two in one store would be each other's waste. */
export async function requireFittingStore(storeId: string | null, storage: ObjectStorage): Promise<boolean> {
  const head = await storage.findObject(storeIdKey)
  if (!head) return false
  if ((await text((await storage.getObject(storeIdKey)).body)) !== storeId)
    throw new Error('The object store belongs to another database. Use an empty one. Nothing was changed.')
  return true
}
