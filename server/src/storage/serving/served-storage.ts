import type { ObjectStorage } from '../storage.ts'
import { openSignedObject, type SignedObject, signObject } from './signed-url.ts'

/** A store whose signed addresses lead to the API, which serves them. */
export interface ServedStorage extends ObjectStorage {
  /** What the signature of this request allows, or `signature_invalid`. */
  openSignedObject(method: string, url: string): SignedObject
}

/** Where it is not, a signed address leads to the store itself, past the API. */
export const isServed = (storage: ObjectStorage): storage is ServedStorage => 'openSignedObject' in storage

/** A bucket that only the program reaches: what it signs are addresses of the API. */
export const serveThroughApi = (
  storage: ObjectStorage,
  secrets: { signingKey: string; publicUrl: string },
): ServedStorage => ({
  ...storage,
  signGet: async (key, options) => signObject(secrets, 'GET', key, options),
  signPut: async (key, options) => signObject(secrets, 'PUT', key, options),
  openSignedObject: (method, url) => openSignedObject(secrets.signingKey, method, url),
})
