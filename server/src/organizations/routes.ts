import { Type } from 'typebox'
import { orgAdmin, orgMember, signedIn } from '../access/access.ts'
import { type OrgRole, orgRoles } from '../access/roles.ts'
import { ValidationError } from '../errors.ts'
import { defineRoute } from '../http/route.ts'
import { item, nullable, oneOf, orgParams, page, pageQuery, slug, timestamp } from '../http/schemas.ts'
import { getOrgUsage } from '../storage/blobs.ts'
import {
  changeOrg,
  createOrg,
  deletionGraceDays,
  getOrg,
  listOrgsOf,
  type Organization,
  requestOrgDeletion,
  restoreOrg,
} from './service.ts'

const organization = Type.Object(
  {
    id: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    role: oneOf(orgRoles, { description: 'Your role.' }),
    created_at: timestamp,
    updated_at: timestamp,
    require_two_step: Type.Boolean({
      description: 'Whether members need a session or token with a second proof.',
    }),
    deletion_at: nullable(
      Type.String({ format: 'date-time', description: 'When it will be deleted; null unless deletion was requested.' }),
    ),
  },
  { $id: 'Organization' },
)

const presentOrg = (org: Organization, role: OrgRole) => ({
  id: org.id,
  slug: org.slug,
  name: org.name,
  role,
  created_at: org.createdAt.toISOString(),
  updated_at: org.updatedAt.toISOString(),
  require_two_step: org.requireTwoStep,
  deletion_at: org.deletionRequestedAt
    ? new Date(org.deletionRequestedAt.getTime() + deletionGraceDays * 86_400_000).toISOString()
    : null,
})

const usage = Type.Object(
  {
    storage_bytes: Type.Integer({ minimum: 0 }),
    object_count: Type.Integer({ minimum: 0 }),
    quota_bytes: nullable(Type.Integer({ description: 'Its storage limit; null if the operator sets none.' })),
  },
  { $id: 'OrganizationUsage' },
)

const name = Type.String({ minLength: 1, maxLength: 200 })

export const organizationRoutes = [
  defineRoute({
    id: 'listOrganizations',
    method: 'GET',
    path: '/api/v1/orgs',
    tag: 'Projects',
    summary: 'List your organizations',
    description: 'Organizations you are a member of, with your role in each.',
    credentials: ['workspace:read'],
    access: signedIn,
    query: pageQuery,
    response: page(organization),
    async handle({ db }, { caller, query }) {
      const { rows, nextCursor } = await listOrgsOf(db, caller.userId, query.limit, query.cursor)
      return { items: rows.map((row) => presentOrg(row, row.role)), next_cursor: nextCursor }
    },
  }),
  defineRoute({
    id: 'createOrganization',
    method: 'POST',
    path: '/api/v1/orgs',
    tag: 'Projects',
    summary: 'Create an organization; you become its admin',
    description:
      'The slug must be free on the whole installation and never changes. A person can make as many as the operator allows (`NMP_PERSON_ORGS`), and what all of them store counts for that person (`NMP_PERSON_QUOTA_BYTES`).',
    credentials: 'session',
    access: signedIn,
    body: Type.Object({ slug, name: Type.Optional(name) }),
    response: item(organization),
    status: 201,
    errors: ['slug_taken', 'organization_limit'],
    async handle({ db, config }, { caller, body }) {
      const org = await createOrg(db, caller, {
        slug: body.slug,
        name: body.name ?? body.slug,
        adminUserId: caller.userId,
        mostOfPerson: config.NMP_PERSON_ORGS,
      })
      return { item: presentOrg(org, 'admin') }
    },
  }),
  defineRoute({
    id: 'getOrganization',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}',
    tag: 'Projects',
    summary: 'Get an organization',
    description: 'For its members; a 404 for everyone else.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    response: item(organization),
    async handle({ db }, { org }) {
      return { item: presentOrg(await getOrg(db, org.id), org.role) }
    },
  }),
  defineRoute({
    id: 'getOrganizationUsage',
    method: 'GET',
    path: '/api/v1/orgs/{org_slug}/usage',
    tag: 'Projects',
    summary: 'Get the storage used by an organization',
    description: 'Contents that several datasets or versions share count once.',
    credentials: ['workspace:read'],
    access: orgMember,
    params: orgParams,
    response: item(usage),
    async handle({ db, config }, { org }) {
      const { sizeBytes, objectCount } = await getOrgUsage(db, org.id)
      const quotaBytes = config.NMP_ORG_QUOTA_BYTES || null
      return { item: { storage_bytes: sizeBytes, object_count: objectCount, quota_bytes: quotaBytes } }
    },
  }),
  defineRoute({
    id: 'renameOrganization',
    method: 'PATCH',
    path: '/api/v1/orgs/{org_slug}',
    tag: 'Projects',
    summary: 'Rename an organization, or ask its members for two-step sign-in',
    description:
      'Changes the displayed name; the slug stays. With `require_two_step`, members whose session or token has no second proof get 403 `two_step_required` on what is of the organization; public reading is not affected. Only who has a second proof can turn it on.',
    credentials: 'session',
    access: orgAdmin,
    params: orgParams,
    body: Type.Object({ name: Type.Optional(name), require_two_step: Type.Optional(Type.Boolean()) }),
    response: item(organization),
    errors: ['two_step_required'],
    checkForm({ body }) {
      if (body.name === undefined && body.require_two_step === undefined)
        throw new ValidationError([{ type: 'missing', loc: ['body', 'name'], msg: 'Field required', input: body }])
    },
    async handle({ db }, { org, caller, body }) {
      const change = {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.require_two_step === undefined ? {} : { requireTwoStep: body.require_two_step }),
      }
      return { item: presentOrg(await changeOrg(db, caller, org, change), org.role) }
    },
  }),
  defineRoute({
    id: 'deleteOrganization',
    method: 'DELETE',
    path: '/api/v1/orgs/{org_slug}',
    tag: 'Projects',
    summary: 'Delete an organization after a grace period',
    description: `Everything keeps working for ${deletionGraceDays} days, in which it can be restored. Then projects, datasets and members are deleted.`,
    credentials: 'session',
    access: orgAdmin,
    params: orgParams,
    query: Type.Object({
      confirm: Type.String({ minLength: 1, description: 'The slug of the organization, as confirmation.' }),
    }),
    response: item(organization),
    errors: ['confirmation_mismatch'],
    async handle({ db }, { org, caller, query }) {
      return { item: presentOrg(await requestOrgDeletion(db, caller, org, query.confirm), org.role) }
    },
  }),
  defineRoute({
    id: 'restoreOrganization',
    method: 'POST',
    path: '/api/v1/orgs/{org_slug}/restore',
    tag: 'Projects',
    summary: 'Restore an organization that is to be deleted',
    description: 'Possible until the grace period ends.',
    credentials: 'session',
    access: orgAdmin,
    params: orgParams,
    response: item(organization),
    async handle({ db }, { org, caller }) {
      return { item: presentOrg(await restoreOrg(db, caller, org), org.role) }
    },
  }),
]
