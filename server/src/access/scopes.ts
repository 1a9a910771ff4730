/** What a personal access token may be allowed to do. A token never raises its owner's role. */
export const scopes = [
  'workspace:read',
  'imports:write',
  'datasets:write',
  'datasets:delete',
  'versions:write',
  'exports:write',
] as const

export type Scope = (typeof scopes)[number]
