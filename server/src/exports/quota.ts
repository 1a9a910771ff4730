import type { Config } from '../config.ts'
import type { Quota } from '../storage/quota.ts'

/** Whole files of the source, which the organization had already, cost nothing. */
export const quotaOfExport = ({ NMP_ORG_QUOTA_BYTES: quotaBytes }: Config, orgId: string): Quota => ({
  orgId,
  quotaBytes,
  what: 'the export',
  remedy: 'Delete datasets or versions, export less',
})
