// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { AuditEvent, Invite, OrgMember, Organization, OrganizationUsage, Project, ProjectMember } from './records.ts'

export interface ListOrganizationsInput {
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListOrganizationsAnswer = {
  items: Organization[]
  next_cursor: string | null
}

export interface CreateOrganizationInput {
  body: {
    slug: string
    name?: string | undefined
  }
}

export type CreateOrganizationAnswer = {
  item: Organization
}

export interface GetOrganizationInput {
  org_slug: string
}

export type GetOrganizationAnswer = {
  item: Organization
}

export interface RenameOrganizationInput {
  org_slug: string
  body: {
    name?: string | undefined
    require_two_step?: boolean | undefined
  }
}

export type RenameOrganizationAnswer = {
  item: Organization
}

export interface DeleteOrganizationInput {
  org_slug: string
  /** The slug of the organization, as confirmation. */
  confirm: string
}

export type DeleteOrganizationAnswer = {
  item: Organization
}

export interface GetOrganizationUsageInput {
  org_slug: string
}

export type GetOrganizationUsageAnswer = {
  item: OrganizationUsage
}

export interface RestoreOrganizationInput {
  org_slug: string
}

export type RestoreOrganizationAnswer = {
  item: Organization
}

export interface ListMembersInput {
  org_slug: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListMembersAnswer = {
  items: OrgMember[]
  next_cursor: string | null
}

export interface ChangeMemberInput {
  org_slug: string
  user_id: string
  body: {
    role: 'admin' | 'member'
  }
}

export type ChangeMemberAnswer = {
  item: OrgMember
}

export interface RemoveMemberInput {
  org_slug: string
  user_id: string
}

export type RemoveMemberAnswer = {
  item: OrgMember
}

export interface ListProjectMembersInput {
  org_slug: string
  project_slug: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListProjectMembersAnswer = {
  items: ProjectMember[]
  next_cursor: string | null
}

export interface PutProjectMemberInput {
  org_slug: string
  project_slug: string
  user_id: string
  body: {
    role: 'admin' | 'editor' | 'viewer'
  }
}

export type PutProjectMemberAnswer = {
  item: ProjectMember
}

export interface RemoveProjectMemberInput {
  org_slug: string
  project_slug: string
  user_id: string
}

export type RemoveProjectMemberAnswer = {
  item: ProjectMember
}

export interface CreateInviteInput {
  org_slug: string
  body: {
    email: string
    org_role?: 'admin' | 'member' | undefined
    project_slug?: string | undefined
    project_role?: 'admin' | 'editor' | 'viewer' | undefined
  }
}

export type CreateInviteAnswer = {
  item: Invite
  accept_url: string
  account_url: string | null
  mail_sent: boolean
}

export interface ListInvitesInput {
  org_slug: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListInvitesAnswer = {
  items: Invite[]
  next_cursor: string | null
}

export interface RevokeInviteInput {
  org_slug: string
  invite_id: string
}

export type RevokeInviteAnswer = {
  item: Invite
}

export interface AcceptInviteInput {
  body: {
    token: string
  }
}

export type AcceptInviteAnswer = {
  item: Invite
}

export interface ListAuditEventsInput {
  org_slug: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListAuditEventsAnswer = {
  items: AuditEvent[]
  next_cursor: string | null
}

export interface ListProjectsInput {
  org_slug: string
  /** Page size; without it and without a cursor, everything is returned. */
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListProjectsAnswer = {
  items: Project[]
  next_cursor: string | null
}

export interface CreateProjectInput {
  org_slug: string
  body: {
    slug: string
    name?: string | undefined
  }
}

export type CreateProjectAnswer = {
  item: Project
}

export interface GetProjectInput {
  org_slug: string
  project_slug: string
}

export type GetProjectAnswer = {
  item: Project
}

export interface ChangeProjectInput {
  org_slug: string
  project_slug: string
  body: {
    name?: string | undefined
    status?: 'active' | 'archived' | undefined
  }
}

export type ChangeProjectAnswer = {
  item: Project
}

export interface ProjectsOperations {
  /**
   * List your organizations.
   *
   * Organizations you are a member of, with your role in each.
   *
   * `GET /api/v1/orgs` · session, or token with workspace:read
   */
  listOrganizations(input?: ListOrganizationsInput, options?: CallOptions): Promise<ListOrganizationsAnswer>
  /** Every item of every page of `listOrganizations`. */
  iterateOrganizations(input?: ListOrganizationsInput, options?: CallOptions): AsyncGenerator<ListOrganizationsAnswer['items'][number]>
  /**
   * Create an organization; you become its admin.
   *
   * The slug must be free on the whole installation and never changes. A person can make as many as the operator allows (`NMP_PERSON_ORGS`), and what all of them store counts for that person (`NMP_PERSON_QUOTA_BYTES`).
   *
   * `POST /api/v1/orgs` · session only
   */
  createOrganization(input: CreateOrganizationInput, options?: CallOptions): Promise<CreateOrganizationAnswer>
  /**
   * Get an organization.
   *
   * For its members; a 404 for everyone else.
   *
   * `GET /api/v1/orgs/{org_slug}` · session, or token with workspace:read
   */
  getOrganization(input: GetOrganizationInput, options?: CallOptions): Promise<GetOrganizationAnswer>
  /**
   * Rename an organization, or ask its members for two-step sign-in.
   *
   * Changes the displayed name; the slug stays. With `require_two_step`, members whose session or token has no second proof get 403 `two_step_required` on what is of the organization; public reading is not affected. Only who has a second proof can turn it on.
   *
   * `PATCH /api/v1/orgs/{org_slug}` · session only
   */
  renameOrganization(input: RenameOrganizationInput, options?: CallOptions): Promise<RenameOrganizationAnswer>
  /**
   * Delete an organization after a grace period.
   *
   * Everything keeps working for 7 days, in which it can be restored. Then projects, datasets and members are deleted.
   *
   * `DELETE /api/v1/orgs/{org_slug}` · session only
   */
  deleteOrganization(input: DeleteOrganizationInput, options?: CallOptions): Promise<DeleteOrganizationAnswer>
  /**
   * Get the storage used by an organization.
   *
   * Contents that several datasets or versions share count once.
   *
   * `GET /api/v1/orgs/{org_slug}/usage` · session, or token with workspace:read
   */
  getOrganizationUsage(input: GetOrganizationUsageInput, options?: CallOptions): Promise<GetOrganizationUsageAnswer>
  /**
   * Restore an organization that is to be deleted.
   *
   * Possible until the grace period ends.
   *
   * `POST /api/v1/orgs/{org_slug}/restore` · session only
   */
  restoreOrganization(input: RestoreOrganizationInput, options?: CallOptions): Promise<RestoreOrganizationAnswer>
  /**
   * List the members of an organization.
   *
   * Members with their e-mail and role in the organization.
   *
   * `GET /api/v1/orgs/{org_slug}/members` · session, or token with workspace:read
   */
  listMembers(input: ListMembersInput, options?: CallOptions): Promise<ListMembersAnswer>
  /** Every item of every page of `listMembers`. */
  iterateMembers(input: ListMembersInput, options?: CallOptions): AsyncGenerator<ListMembersAnswer['items'][number]>
  /**
   * Change a member's role in the organization.
   *
   * An organization always keeps at least one admin.
   *
   * `PATCH /api/v1/orgs/{org_slug}/members/{user_id}` · session only
   */
  changeMember(input: ChangeMemberInput, options?: CallOptions): Promise<ChangeMemberAnswer>
  /**
   * Remove a member from the organization, or leave it.
   *
   * They also lose their roles in its projects. What they made stays.
   *
   * `DELETE /api/v1/orgs/{org_slug}/members/{user_id}` · session only
   */
  removeMember(input: RemoveMemberInput, options?: CallOptions): Promise<RemoveMemberAnswer>
  /**
   * List the people with a role in a project.
   *
   * Admins of the organization are admins of every project and are listed here only if they also have a role in the project.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/members` · session, or token with workspace:read
   */
  listProjectMembers(input: ListProjectMembersInput, options?: CallOptions): Promise<ListProjectMembersAnswer>
  /** Every item of every page of `listProjectMembers`. */
  iterateProjectMembers(input: ListProjectMembersInput, options?: CallOptions): AsyncGenerator<ListProjectMembersAnswer['items'][number]>
  /**
   * Give a member of the organization a role in a project.
   *
   * Sets the role of a member in the project, or changes it.
   *
   * `PUT /api/v1/orgs/{org_slug}/projects/{project_slug}/members/{user_id}` · session only
   */
  putProjectMember(input: PutProjectMemberInput, options?: CallOptions): Promise<PutProjectMemberAnswer>
  /**
   * Remove a person's role in a project, or leave it.
   *
   * Admins of the organization keep their access to every project.
   *
   * `DELETE /api/v1/orgs/{org_slug}/projects/{project_slug}/members/{user_id}` · session only
   */
  removeProjectMember(input: RemoveProjectMemberInput, options?: CallOptions): Promise<RemoveProjectMemberAnswer>
  /**
   * Invite a person to the organization, and to a project of it.
   *
   * A link with which the person can make their account is sent to their mailbox alone. `accept_url` works for somebody who has an account of that e-mail, has proven it and is signed in; it is not shown again. Both are valid for 7 days and work once. `account_url` is the mailed link, for the first account of a program that has no mail server, and null otherwise.
   *
   * `POST /api/v1/orgs/{org_slug}/invites` · session only
   */
  createInvite(input: CreateInviteInput, options?: CallOptions): Promise<CreateInviteAnswer>
  /**
   * List invites, newest first.
   *
   * Open, accepted, revoked and expired invites.
   *
   * `GET /api/v1/orgs/{org_slug}/invites` · session only
   */
  listInvites(input: ListInvitesInput, options?: CallOptions): Promise<ListInvitesAnswer>
  /** Every item of every page of `listInvites`. */
  iterateInvites(input: ListInvitesInput, options?: CallOptions): AsyncGenerator<ListInvitesAnswer['items'][number]>
  /**
   * Revoke an invite.
   *
   * Its link stops working immediately.
   *
   * `DELETE /api/v1/orgs/{org_slug}/invites/{invite_id}` · session only
   */
  revokeInvite(input: RevokeInviteInput, options?: CallOptions): Promise<RevokeInviteAnswer>
  /**
   * Accept an invite, as the person it was made for.
   *
   * The signed-in account must have the e-mail address that was invited, and have proven it.
   *
   * `POST /api/v1/invites/accept` · session only
   */
  acceptInvite(input: AcceptInviteInput, options?: CallOptions): Promise<AcceptInviteAnswer>
  /**
   * Who did what in the organization, newest first.
   *
   * The log is append-only. Needs the role admin of the organization.
   *
   * `GET /api/v1/orgs/{org_slug}/audit-events` · session only
   */
  listAuditEvents(input: ListAuditEventsInput, options?: CallOptions): Promise<ListAuditEventsAnswer>
  /** Every item of every page of `listAuditEvents`. */
  iterateAuditEvents(input: ListAuditEventsInput, options?: CallOptions): AsyncGenerator<ListAuditEventsAnswer['items'][number]>
  /**
   * List the projects you have a role in.
   *
   * Projects of the organization that you can open, with your role in each.
   *
   * `GET /api/v1/orgs/{org_slug}/projects` · session, or token with workspace:read
   */
  listProjects(input: ListProjectsInput, options?: CallOptions): Promise<ListProjectsAnswer>
  /** Every item of every page of `listProjects`. */
  iterateProjects(input: ListProjectsInput, options?: CallOptions): AsyncGenerator<ListProjectsAnswer['items'][number]>
  /**
   * Create a project.
   *
   * The slug must be free in the organization and never changes.
   *
   * `POST /api/v1/orgs/{org_slug}/projects` · session only
   */
  createProject(input: CreateProjectInput, options?: CallOptions): Promise<CreateProjectAnswer>
  /**
   * Open a project.
   *
   * Records your visit in `last_opened_at`, which only you see.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}` · session, or token with workspace:read
   */
  getProject(input: GetProjectInput, options?: CallOptions): Promise<GetProjectAnswer>
  /**
   * Rename, archive or reactivate a project.
   *
   * An archived project can be read but not written to.
   *
   * `PATCH /api/v1/orgs/{org_slug}/projects/{project_slug}` · session only
   */
  changeProject(input: ChangeProjectInput, options?: CallOptions): Promise<ChangeProjectAnswer>
}

export const projectsOperations: OperationTable = {
  listOrganizations: { method: 'GET', path: '/api/v1/orgs', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  createOrganization: { method: 'POST', path: '/api/v1/orgs', hasBody: true },
  getOrganization: { method: 'GET', path: '/api/v1/orgs/{org_slug}', repeatable: true },
  renameOrganization: { method: 'PATCH', path: '/api/v1/orgs/{org_slug}', hasBody: true },
  deleteOrganization: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}', query: ['confirm'], repeatable: true },
  getOrganizationUsage: { method: 'GET', path: '/api/v1/orgs/{org_slug}/usage', repeatable: true },
  restoreOrganization: { method: 'POST', path: '/api/v1/orgs/{org_slug}/restore', repeatable: true },
  listMembers: { method: 'GET', path: '/api/v1/orgs/{org_slug}/members', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  changeMember: { method: 'PATCH', path: '/api/v1/orgs/{org_slug}/members/{user_id}', hasBody: true },
  removeMember: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/members/{user_id}', repeatable: true },
  listProjectMembers: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/members', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  putProjectMember: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/members/{user_id}', hasBody: true, repeatable: true },
  removeProjectMember: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/members/{user_id}', repeatable: true },
  createInvite: { method: 'POST', path: '/api/v1/orgs/{org_slug}/invites', hasBody: true },
  listInvites: { method: 'GET', path: '/api/v1/orgs/{org_slug}/invites', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  revokeInvite: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/invites/{invite_id}', repeatable: true },
  acceptInvite: { method: 'POST', path: '/api/v1/invites/accept', hasBody: true },
  listAuditEvents: { method: 'GET', path: '/api/v1/orgs/{org_slug}/audit-events', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  listProjects: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  createProject: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects', hasBody: true },
  getProject: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}', repeatable: true },
  changeProject: { method: 'PATCH', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}', hasBody: true },
}
