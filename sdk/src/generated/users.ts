// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { ApiToken, CurrentUser, Session, UserProfile } from './records.ts'

export type GetCurrentUserAnswer = {
  user: CurrentUser
}

export interface DeleteAccountInput {
  /** Your e-mail, again. */
  confirm: string
}

export type DeleteAccountAnswer = {
  item: {
    id: string
    deletion_at: string
  }
}

export type SignOutAnswer = {
  item: {
    signed_out: boolean
  }
}

export type GetProfileAnswer = {
  item: UserProfile
}

export interface ChangeProfileInput {
  body: {
    display_name?: string | undefined
    title?: string | undefined
    timezone?: string | undefined
    default_project_org_slug?: string | null | undefined
    default_project_slug?: string | null | undefined
    notification_preferences?: {
      transform_done?: {
        email?: boolean | undefined
        in_app?: boolean | undefined
      } | undefined
      export_ready?: {
        email?: boolean | undefined
        in_app?: boolean | undefined
      } | undefined
      team_invite?: {
        email?: boolean | undefined
        in_app?: boolean | undefined
      } | undefined
      episode_flag?: {
        email?: boolean | undefined
        in_app?: boolean | undefined
      } | undefined
      import_fail?: {
        email?: boolean | undefined
        in_app?: boolean | undefined
      } | undefined
      weekly_digest?: {
        email?: boolean | undefined
        in_app?: boolean | undefined
      } | undefined
    } | undefined
  }
}

export type ChangeProfileAnswer = {
  item: UserProfile
}

export interface ListSessionsInput {
  /** Page size; without it and without a cursor, everything is returned. */
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListSessionsAnswer = {
  items: Session[]
  next_cursor: string | null
}

export type EndOtherSessionsAnswer = {
  item: {
    ended: number
  }
}

export interface EndSessionInput {
  session_id: string
}

export type EndSessionAnswer = {
  item: Session
}

export interface CreateTokenInput {
  body: {
    name: string
    scopes?: ('workspace:read' | 'imports:write' | 'datasets:write' | 'datasets:delete' | 'versions:write' | 'exports:write')[] | undefined
    /** Unless said, 90; 30 where a session of the command line asks. */
    expires_in_days?: number | undefined
  }
}

export type CreateTokenAnswer = {
  item: ApiToken
  token: string
}

export interface ListTokensInput {
  /** Page size; without it and without a cursor, everything is returned. */
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListTokensAnswer = {
  items: ApiToken[]
  next_cursor: string | null
}

export interface RevokeTokenInput {
  token_id: string
}

export type RevokeTokenAnswer = {
  item: ApiToken
}

export interface UsersOperations {
  /**
   * Get the current user with their organizations and projects.
   *
   * Includes every project you can open, with your role in it.
   *
   * `GET /api/v1/users/me` · session, or token with workspace:read
   */
  getCurrentUser(input?: Record<string, never>, options?: CallOptions): Promise<GetCurrentUserAnswer>
  /**
   * Delete your account after a grace period.
   *
   * Tokens and sessions end at once. Sign in within 7 days to keep the account. Organizations without other members are deleted with it.
   *
   * `DELETE /api/v1/users/me` · session only
   */
  deleteAccount(input: DeleteAccountInput, options?: CallOptions): Promise<DeleteAccountAnswer>
  /**
   * End this session everywhere.
   *
   * The session token and its refresh token stop working immediately.
   *
   * `POST /api/v1/users/me/sign-out` · session only
   */
  signOut(input?: Record<string, never>, options?: CallOptions): Promise<SignOutAnswer>
  /**
   * Your profile.
   *
   * Name, time zone, default project and notification settings.
   *
   * `GET /api/v1/users/me/profile` · session, or token with workspace:read
   */
  getProfile(input?: Record<string, never>, options?: CallOptions): Promise<GetProfileAnswer>
  /**
   * Change your profile.
   *
   * Omitted fields stay unchanged.
   *
   * `PATCH /api/v1/users/me/profile` · session only
   */
  changeProfile(input: ChangeProfileInput, options?: CallOptions): Promise<ChangeProfileAnswer>
  /**
   * List where you are signed in, newest first.
   *
   * Browsers and programs with a session. Personal access tokens are listed apart. `last_seen_at` is right to a minute.
   *
   * `GET /api/v1/users/me/sessions` · session only
   */
  listSessions(input?: ListSessionsInput, options?: CallOptions): Promise<ListSessionsAnswer>
  /** Every item of every page of `listSessions`. */
  iterateSessions(input?: ListSessionsInput, options?: CallOptions): AsyncGenerator<ListSessionsAnswer['items'][number]>
  /**
   * End all your other sessions.
   *
   * All but the one that asks are refused from their next request on. Personal access tokens stay.
   *
   * `DELETE /api/v1/users/me/sessions` · session only
   */
  endOtherSessions(input?: Record<string, never>, options?: CallOptions): Promise<EndOtherSessionsAnswer>
  /**
   * End one of your sessions.
   *
   * It is refused from its next request on, with its refresh token; a browser has to sign in again.
   *
   * `DELETE /api/v1/users/me/sessions/{session_id}` · session only
   */
  endSession(input: EndSessionInput, options?: CallOptions): Promise<EndSessionAnswer>
  /**
   * Create a personal access token.
   *
   * `token` in this answer is the secret. It is never shown again, so keep it.
   *
   * `POST /api/v1/users/me/tokens` · session only
   */
  createToken(input: CreateTokenInput, options?: CallOptions): Promise<CreateTokenAnswer>
  /**
   * List your personal access tokens, newest first.
   *
   * Revoked and expired tokens are included. Secrets are never shown again.
   *
   * `GET /api/v1/users/me/tokens` · session only
   */
  listTokens(input?: ListTokensInput, options?: CallOptions): Promise<ListTokensAnswer>
  /** Every item of every page of `listTokens`. */
  iterateTokens(input?: ListTokensInput, options?: CallOptions): AsyncGenerator<ListTokensAnswer['items'][number]>
  /**
   * Revoke a personal access token.
   *
   * It stops working immediately. Revoking it again returns the same record.
   *
   * `DELETE /api/v1/users/me/tokens/{token_id}` · session only
   */
  revokeToken(input: RevokeTokenInput, options?: CallOptions): Promise<RevokeTokenAnswer>
}

export const usersOperations: OperationTable = {
  getCurrentUser: { method: 'GET', path: '/api/v1/users/me', repeatable: true },
  deleteAccount: { method: 'DELETE', path: '/api/v1/users/me', query: ['confirm'], repeatable: true },
  signOut: { method: 'POST', path: '/api/v1/users/me/sign-out', repeatable: true },
  getProfile: { method: 'GET', path: '/api/v1/users/me/profile', repeatable: true },
  changeProfile: { method: 'PATCH', path: '/api/v1/users/me/profile', hasBody: true },
  listSessions: { method: 'GET', path: '/api/v1/users/me/sessions', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  endOtherSessions: { method: 'DELETE', path: '/api/v1/users/me/sessions', repeatable: true },
  endSession: { method: 'DELETE', path: '/api/v1/users/me/sessions/{session_id}', repeatable: true },
  createToken: { method: 'POST', path: '/api/v1/users/me/tokens', hasBody: true },
  listTokens: { method: 'GET', path: '/api/v1/users/me/tokens', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  revokeToken: { method: 'DELETE', path: '/api/v1/users/me/tokens/{token_id}', repeatable: true },
}
