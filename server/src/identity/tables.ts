import type { ColumnType, Generated } from 'kysely'
import type { Scope } from '../access/scopes.ts'
import type { NotificationSwitches } from '../notifications/kinds.ts'

type Timestamp = ColumnType<Date, Date | string, Date | string>
type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>

export interface IdentityTables {
  program_settings: { name: string; value: ColumnType<unknown, string, string> }
  users: {
    id: string
    email: string
    display_name: Generated<string>
    title: Generated<string>
    timezone: Generated<string>
    default_project_id: string | null
    notification_preferences: ColumnType<Record<string, NotificationSwitches>, string | undefined, string>
    sessions_valid_after: DefaultTimestamp
    deletion_requested_at: Timestamp | null
    email_proven_at: Timestamp | null
    created_at: DefaultTimestamp
    updated_at: DefaultTimestamp
  }
  identities: { issuer: string; subject: string; user_id: string }
  attempt_counts: { key_sha256: Buffer; count: number; ends_at: Timestamp }
  local_accounts: { user_id: string; password_hash: string | null; updated_at: DefaultTimestamp }
  one_time_codes: {
    code_sha256: Buffer
    purpose: 'sign_in' | 'password_reset' | 'second_step'
    user_id: string
    expires_at: Timestamp
  }
  oidc_payloads: {
    model: string
    id: string
    payload: ColumnType<Record<string, unknown>, string, string>
    grant_id: string | null
    user_code: string | null
    uid: string | null
    expires_at: Timestamp | null
  }
  totp_secrets: { user_id: string; secret_sealed: string; last_step: number; created_at: DefaultTimestamp }
  passkeys: {
    id: string
    user_id: string
    credential_id: string
    public_key: Buffer
    counter: number
    transports: string[]
    name: string
    created_at: DefaultTimestamp
    last_used_at: Timestamp | null
  }
  spent_challenges: { challenge_sha256: Buffer; expires_at: Timestamp }
  recovery_codes: { user_id: string; code_sha256: Buffer }
  sessions: {
    id: string
    session_id: string
    user_id: string
    kind: 'browser' | 'grant' | 'foreign'
    client_id: string | null
    browser_uid: string | null
    address: string
    user_agent: string
    created_at: DefaultTimestamp
    last_seen_at: DefaultTimestamp
    expires_at: Timestamp | null
  }
  known_devices: {
    user_id: string
    device_sha256: Buffer
    created_at: DefaultTimestamp
    last_seen_at: DefaultTimestamp
  }
  revoked_sessions: { session_id: string; expires_at: Timestamp }
  access_tokens: {
    id: string
    user_id: string
    name: string
    secret_sha256: Buffer
    prefix: string
    suffix: string
    scopes: Scope[]
    client_id: string | null
    made_at_address: string | null
    made_by_agent: string | null
    second_proof: Generated<boolean>
    created_at: DefaultTimestamp
    expires_at: Timestamp
    last_used_at: Timestamp | null
    revoked_at: Timestamp | null
  }
}
