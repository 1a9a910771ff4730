/** What `where.checks` means, found when the version is made: results of later runs do not change it. */
export interface StoredChecks {
  /** The revision or version whose results were used. */
  subject_id: string
  /** By rule: of which rules they are, and by which cut-off. */
  results: Record<string, { rule_set_version: number; cut_off: number | null }>
  /** The episodes that are left. */
  episodes: number[]
}
