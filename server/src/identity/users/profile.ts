import type { Caller } from '../../access/principal.ts'
import { recordAudit } from '../../audit/service.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { invalidValue } from '../../errors.ts'
import {
  completePreferences,
  type NotificationKind,
  type NotificationPreferences,
  type NotificationSwitches,
} from '../../notifications/kinds.ts'
import { listAllProjectsOf } from '../../organizations/projects/service.ts'

import * as repository from './repository.ts'

export interface Profile {
  id: string
  email: string
  displayName: string
  title: string
  timezone: string
  defaultProject: { orgSlug: string; projectSlug: string } | undefined
  notificationPreferences: NotificationPreferences
}

export interface ProfileChange {
  display_name?: string
  title?: string
  timezone?: string
  default_project_org_slug?: string | null
  default_project_slug?: string | null
  notification_preferences?: Partial<Record<NotificationKind, Partial<NotificationSwitches>>>
}

export async function getProfile(db: Database, userId: string): Promise<Profile> {
  const user = await repository.getUser(db, userId)
  const projects = await listAllProjectsOf(db, userId)
  const chosen = projects.find((project) => project.id === user.defaultProjectId)
  return {
    id: user.id,
    email: user.email,
    displayName: user.displayName,
    title: user.title,
    timezone: user.timezone,
    defaultProject: chosen && { orgSlug: chosen.orgSlug, projectSlug: chosen.slug },
    notificationPreferences: completePreferences(user.notificationPreferences),
  }
}

export const changeProfile = (db: Database, caller: Caller, change: ProfileChange): Promise<Profile> =>
  inTransaction(db, async (trx) => {
    const { display_name: displayName, title, timezone } = change
    if (timezone !== undefined) checkTimezone(timezone)
    const defaultProjectId = await chooseDefaultProject(trx, caller.userId, change)
    const preferences = await mergePreferences(trx, caller.userId, change.notification_preferences)
    await repository.updateUser(trx, caller.userId, {
      ...(displayName === undefined ? {} : { displayName }),
      ...(title === undefined ? {} : { title }),
      ...(timezone === undefined ? {} : { timezone }),
      ...(defaultProjectId === undefined ? {} : { defaultProjectId }),
      ...(preferences === undefined ? {} : { notificationPreferences: preferences }),
    })
    await recordAudit(trx, caller, {
      action: 'profile.change',
      resource: { kind: 'user', id: caller.userId },
      detail: { fields: Object.keys(change) },
    })
    return getProfile(trx, caller.userId)
  })

function checkTimezone(timezone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw invalidValue(['body', 'timezone'], 'name a time zone of the IANA database, as in Europe/Zurich', timezone)
  }
}

/** Both slugs name the project, both null unset it. It must be one the person can open. */
async function chooseDefaultProject(
  db: Database,
  userId: string,
  change: ProfileChange,
): Promise<string | null | undefined> {
  const { default_project_org_slug: orgSlug, default_project_slug: projectSlug } = change
  if (orgSlug === undefined && projectSlug === undefined) return undefined
  if (orgSlug === null && projectSlug === null) return null
  const projects = await listAllProjectsOf(db, userId)
  const chosen = projects.find((project) => project.orgSlug === orgSlug && project.slug === projectSlug)
  if (!chosen)
    throw invalidValue(
      ['body', 'default_project_slug'],
      'name a project you can open, by default_project_org_slug and default_project_slug together',
      projectSlug ?? null,
    )
  return chosen.id
}

async function mergePreferences(
  db: Database,
  userId: string,
  change: ProfileChange['notification_preferences'],
): Promise<NotificationPreferences | undefined> {
  if (change === undefined) return undefined
  const merged = completePreferences((await repository.getUser(db, userId)).notificationPreferences)
  for (const [kind, switches] of Object.entries(change)) Object.assign(merged[kind as NotificationKind], switches)
  return merged
}
