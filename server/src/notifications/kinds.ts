export const notificationKinds = [
  'transform_done',
  'export_ready',
  'team_invite',
  'episode_flag',
  'import_fail',
  'weekly_digest',
] as const

/** Kinds are the switches of a person; how bad it is stands beside: a failed import and one with losses share a switch. */
export const notificationSeverities = ['info', 'warning', 'error'] as const
export type NotificationSeverity = (typeof notificationSeverities)[number]

export interface NotificationSwitches {
  email: boolean
  in_app: boolean
}

export type NotificationKind = (typeof notificationKinds)[number]
export type NotificationPreferences = Record<NotificationKind, NotificationSwitches>

/** All six kinds, each with what the person chose or, where they chose nothing, both channels on (the digest by mail only). */
export const completePreferences = (
  chosen: Partial<Record<string, Partial<NotificationSwitches>>>,
): NotificationPreferences =>
  Object.fromEntries(
    notificationKinds.map((kind) => [kind, { email: true, in_app: kind !== 'weekly_digest', ...chosen[kind] }]),
  ) as NotificationPreferences
