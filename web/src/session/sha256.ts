import { sha256 } from '@noble/hashes/sha2'
import { utf8ToBytes } from '@noble/hashes/utils'

/**
 * SHA-256 of a text, for the PKCE challenge. Not from `crypto.subtle`: that exists on https and localhost only, and a lab's
 * server on plain http is where many first try this.
 */
export const hashSha256 = (text: string): Uint8Array => sha256(utf8ToBytes(text))
