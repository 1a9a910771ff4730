import type { Scope } from './scopes.ts'

interface Person {
  userId: string
  email: string
  /** Whether they have proven who they are by more than a password, in this session or in the one that made this token. */
  hasSecondProof: boolean
}

/** A person signed in through the identity provider: the full product surface. */
export interface SessionPrincipal extends Person {
  kind: 'session'
  sessionId: string
  /** The program that signed in, as the issuer's token names it. */
  clientId?: string
  expiresAt: Date
}

/** A person's script: their role, narrowed to the token's scopes. */
export interface TokenPrincipal extends Person {
  kind: 'token'
  tokenId: string
  scopes: readonly Scope[]
}

export type Principal = SessionPrincipal | TokenPrincipal

/** Somebody in one request: who asks, and the id that joins the log, the answer and the audit event of what they did. */
export type Caller<P extends Principal = Principal> = P & { requestId: string }
