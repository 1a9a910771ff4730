import type { LocalAccount } from './repository.ts'

/** Somebody who has just proven who they are, and how, in the words of RFC 8176 (`amr`). */
export interface Authenticated {
  account: LocalAccount
  amr: readonly string[]
}

export const byPassword = ['pwd'] as const
/** A code of an app or a recovery code, after the password or a link. */
export const byCode = ['otp', 'mfa'] as const
/** A key that only the person's device has, and that the device gives to its person only. */
export const byPasskey = ['pop', 'user', 'mfa'] as const
