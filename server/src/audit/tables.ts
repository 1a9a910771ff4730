import type { ColumnType, Generated } from 'kysely'

export interface AuditTables {
  audit_events: {
    id: Generated<number>
    at: ColumnType<Date, never, never>
    org_id: string | null
    actor_kind: 'session' | 'token' | 'operator' | 'program'
    actor_user_id: string | null
    token_id: string | null
    action: string
    resource_kind: string
    resource_id: string
    detail: ColumnType<Record<string, unknown>, string, never>
    request_id: string | null
  }
}
