import { Type } from 'typebox'
import { signedIn } from '../../access/access.ts'
import { projectRoles } from '../../access/roles.ts'
import { defineRoute } from '../../http/route.ts'
import { item, nullable, oneOf, timestamp, truth } from '../../http/schemas.ts'
import { notificationKinds } from '../../notifications/kinds.ts'
import { listAllProjectsOf } from '../../organizations/projects/service.ts'
import { deletionGraceDays, listAllOrgsOf } from '../../organizations/service.ts'
import { changeProfile, getProfile, type Profile } from './profile.ts'
import { requestAccountDeletion, signOut } from './service.ts'

const currentUser = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    org_slugs: Type.Array(Type.String()),
    org_member_slugs: Type.Array(Type.String()),
    org_admin_slugs: Type.Array(Type.String()),
    projects: Type.Array(
      Type.Object({ org_slug: Type.String(), project_slug: Type.String(), role: oneOf(projectRoles) }),
    ),
  },
  { $id: 'CurrentUser' },
)

const switches = Type.Object({ email: Type.Boolean(), in_app: Type.Boolean() })

const userProfile = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    display_name: Type.String(),
    title: Type.String(),
    timezone: Type.String({ examples: ['Europe/Zurich'] }),
    default_project_org_slug: nullable(Type.String()),
    default_project_slug: nullable(Type.String()),
    notification_preferences: Type.Object(
      Object.fromEntries(notificationKinds.map((kind) => [kind, switches])) as Record<
        (typeof notificationKinds)[number],
        typeof switches
      >,
      { additionalProperties: false },
    ),
  },
  { $id: 'UserProfile' },
)

const presentProfile = (profile: Profile) => ({
  id: profile.id,
  email: profile.email,
  display_name: profile.displayName,
  title: profile.title,
  timezone: profile.timezone,
  default_project_org_slug: profile.defaultProject?.orgSlug ?? null,
  default_project_slug: profile.defaultProject?.projectSlug ?? null,
  notification_preferences: profile.notificationPreferences,
})

const switchesChange = Type.Object({ email: Type.Optional(truth()), in_app: Type.Optional(truth()) })
const preferencesChange = Type.Object(
  Object.fromEntries(notificationKinds.map((kind) => [kind, Type.Optional(switchesChange)])),
)

export const userRoutes = [
  defineRoute({
    id: 'getCurrentUser',
    method: 'GET',
    path: '/api/v1/users/me',
    tag: 'Users and tokens',
    summary: 'Get the current user with their organizations and projects',
    description: 'Includes every project you can open, with your role in it.',
    credentials: ['workspace:read'],
    access: signedIn,
    response: Type.Object({ user: currentUser }),
    async handle({ db }, { caller }) {
      const orgs = await listAllOrgsOf(db, caller.userId)
      const projects = await listAllProjectsOf(db, caller.userId)
      const slugsOf = (role: string) => orgs.filter((org) => org.role === role).map((org) => org.slug)
      return {
        user: {
          id: caller.userId,
          email: caller.email,
          org_slugs: orgs.map((org) => org.slug),
          org_member_slugs: slugsOf('member'),
          org_admin_slugs: slugsOf('admin'),
          projects: projects.map(({ orgSlug, slug, role }) => ({ org_slug: orgSlug, project_slug: slug, role })),
        },
      }
    },
  }),
  defineRoute({
    id: 'deleteAccount',
    method: 'DELETE',
    path: '/api/v1/users/me',
    tag: 'Users and tokens',
    summary: 'Delete your account after a grace period',
    description: `Tokens and sessions end at once. Sign in within ${deletionGraceDays} days to keep the account. Organizations without other members are deleted with it.`,
    credentials: 'session',
    access: signedIn,
    query: Type.Object({ confirm: Type.String({ minLength: 1, description: 'Your e-mail, again.' }) }),
    response: item(Type.Object({ id: Type.String(), deletion_at: timestamp })),
    errors: ['confirmation_mismatch', 'last_admin'],
    async handle({ db }, { caller, query }) {
      const user = await requestAccountDeletion(db, caller, query.confirm)
      const asked = user.deletionRequestedAt ?? new Date()
      return {
        item: { id: user.id, deletion_at: new Date(asked.getTime() + deletionGraceDays * 86_400_000).toISOString() },
      }
    },
  }),
  defineRoute({
    id: 'signOut',
    method: 'POST',
    path: '/api/v1/users/me/sign-out',
    tag: 'Users and tokens',
    summary: 'End this session everywhere',
    description: 'The session token and its refresh token stop working immediately.',
    credentials: 'session',
    access: signedIn,
    response: item(Type.Object({ signed_out: Type.Boolean() })),
    async handle({ db }, { caller }) {
      await signOut(db, caller)
      return { item: { signed_out: true } }
    },
  }),
  defineRoute({
    id: 'getProfile',
    method: 'GET',
    path: '/api/v1/users/me/profile',
    tag: 'Users and tokens',
    summary: 'Your profile',
    description: 'Name, time zone, default project and notification settings.',
    credentials: ['workspace:read'],
    access: signedIn,
    response: item(userProfile),
    async handle({ db }, { caller }) {
      return { item: presentProfile(await getProfile(db, caller.userId)) }
    },
  }),
  defineRoute({
    id: 'changeProfile',
    method: 'PATCH',
    path: '/api/v1/users/me/profile',
    tag: 'Users and tokens',
    summary: 'Change your profile',
    description: 'Omitted fields stay unchanged.',
    credentials: 'session',
    access: signedIn,
    body: Type.Object({
      display_name: Type.Optional(Type.String({ maxLength: 200 })),
      title: Type.Optional(Type.String({ maxLength: 200 })),
      timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      default_project_org_slug: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
      default_project_slug: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
      notification_preferences: Type.Optional(preferencesChange),
    }),
    response: item(userProfile),
    async handle({ db }, { caller, body }) {
      return { item: presentProfile(await changeProfile(db, caller, body)) }
    },
  }),
]
