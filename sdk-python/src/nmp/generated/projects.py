# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    AcceptInviteAnswer,
    AcceptInviteBody,
    AuditEvent,
    ChangeMemberAnswer,
    ChangeMemberBody,
    ChangeProjectAnswer,
    ChangeProjectBody,
    CreateInviteAnswer,
    CreateInviteBody,
    CreateOrganizationAnswer,
    CreateOrganizationBody,
    CreateProjectAnswer,
    CreateProjectBody,
    DeleteOrganizationAnswer,
    GetOrganizationAnswer,
    GetOrganizationUsageAnswer,
    GetProjectAnswer,
    Invite,
    ListAuditEventsAnswer,
    ListInvitesAnswer,
    ListMembersAnswer,
    ListOrganizationsAnswer,
    ListProjectMembersAnswer,
    ListProjectsAnswer,
    OrgMember,
    Organization,
    Project,
    ProjectMember,
    PutProjectMemberAnswer,
    PutProjectMemberBody,
    RemoveMemberAnswer,
    RemoveProjectMemberAnswer,
    RenameOrganizationAnswer,
    RenameOrganizationBody,
    RestoreOrganizationAnswer,
    RevokeInviteAnswer,
)

_LIST_ORGANIZATIONS = Operation("listOrganizations", "GET", "/api/v1/orgs", query=("limit", "cursor",), paging="cursor", repeatable=True)
_CREATE_ORGANIZATION = Operation("createOrganization", "POST", "/api/v1/orgs")
_GET_ORGANIZATION = Operation("getOrganization", "GET", "/api/v1/orgs/{org_slug}", repeatable=True)
_RENAME_ORGANIZATION = Operation("renameOrganization", "PATCH", "/api/v1/orgs/{org_slug}")
_DELETE_ORGANIZATION = Operation("deleteOrganization", "DELETE", "/api/v1/orgs/{org_slug}", query=("confirm",), repeatable=True)
_GET_ORGANIZATION_USAGE = Operation("getOrganizationUsage", "GET", "/api/v1/orgs/{org_slug}/usage", repeatable=True)
_RESTORE_ORGANIZATION = Operation("restoreOrganization", "POST", "/api/v1/orgs/{org_slug}/restore", repeatable=True)
_LIST_MEMBERS = Operation("listMembers", "GET", "/api/v1/orgs/{org_slug}/members", query=("limit", "cursor",), paging="cursor", repeatable=True)
_CHANGE_MEMBER = Operation("changeMember", "PATCH", "/api/v1/orgs/{org_slug}/members/{user_id}")
_REMOVE_MEMBER = Operation("removeMember", "DELETE", "/api/v1/orgs/{org_slug}/members/{user_id}", repeatable=True)
_LIST_PROJECT_MEMBERS = Operation("listProjectMembers", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/members", query=("limit", "cursor",), paging="cursor", repeatable=True)
_PUT_PROJECT_MEMBER = Operation("putProjectMember", "PUT", "/api/v1/orgs/{org_slug}/projects/{project_slug}/members/{user_id}", repeatable=True)
_REMOVE_PROJECT_MEMBER = Operation("removeProjectMember", "DELETE", "/api/v1/orgs/{org_slug}/projects/{project_slug}/members/{user_id}", repeatable=True)
_CREATE_INVITE = Operation("createInvite", "POST", "/api/v1/orgs/{org_slug}/invites")
_LIST_INVITES = Operation("listInvites", "GET", "/api/v1/orgs/{org_slug}/invites", query=("limit", "cursor",), paging="cursor", repeatable=True)
_REVOKE_INVITE = Operation("revokeInvite", "DELETE", "/api/v1/orgs/{org_slug}/invites/{invite_id}", repeatable=True)
_ACCEPT_INVITE = Operation("acceptInvite", "POST", "/api/v1/invites/accept")
_LIST_AUDIT_EVENTS = Operation("listAuditEvents", "GET", "/api/v1/orgs/{org_slug}/audit-events", query=("limit", "cursor",), paging="cursor", repeatable=True)
_LIST_PROJECTS = Operation("listProjects", "GET", "/api/v1/orgs/{org_slug}/projects", query=("limit", "cursor",), paging="cursor", repeatable=True)
_CREATE_PROJECT = Operation("createProject", "POST", "/api/v1/orgs/{org_slug}/projects")
_GET_PROJECT = Operation("getProject", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}", repeatable=True)
_CHANGE_PROJECT = Operation("changeProject", "PATCH", "/api/v1/orgs/{org_slug}/projects/{project_slug}")


class Projects:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def list_organizations(self, *, limit: int | None = None, cursor: str | None = None) -> ListOrganizationsAnswer:
        """List your organizations. Organizations you are a member of, with your role in each. (session, or token with workspace:read)"""
        return cast("ListOrganizationsAnswer", self._driver.run(_LIST_ORGANIZATIONS.call({"limit": limit, "cursor": cursor})))

    def iterate_organizations(self, *, limit: int | None = None, cursor: str | None = None) -> Iterator[Organization]:
        """Every item of every page of `list_organizations`."""
        return cast("Iterator[Organization]", paging.iterate(self._driver, _LIST_ORGANIZATIONS, {"limit": limit, "cursor": cursor}))

    def create_organization(self, *, body: CreateOrganizationBody) -> CreateOrganizationAnswer:
        """Create an organization; you become its admin. The slug must be free on the whole installation and never changes. A person can make as many as the operator allows (`NMP_PERSON_ORGS`), and what all of them store counts for that person (`NMP_PERSON_QUOTA_BYTES`). (session only)"""
        return cast("CreateOrganizationAnswer", self._driver.run(_CREATE_ORGANIZATION.call({}, body)))

    def get_organization(self, *, org_slug: str) -> GetOrganizationAnswer:
        """Get an organization. For its members; a 404 for everyone else. (session, or token with workspace:read)"""
        return cast("GetOrganizationAnswer", self._driver.run(_GET_ORGANIZATION.call({"org_slug": org_slug})))

    def rename_organization(self, *, org_slug: str, body: RenameOrganizationBody) -> RenameOrganizationAnswer:
        """Rename an organization, or ask its members for two-step sign-in. Changes the displayed name; the slug stays. With `require_two_step`, members whose session or token has no second proof get 403 `two_step_required` on what is of the organization; public reading is not affected. Only who has a second proof can turn it on. (session only)"""
        return cast("RenameOrganizationAnswer", self._driver.run(_RENAME_ORGANIZATION.call({"org_slug": org_slug}, body)))

    def delete_organization(self, *, org_slug: str, confirm: str) -> DeleteOrganizationAnswer:
        """Delete an organization after a grace period. Everything keeps working for 7 days, in which it can be restored. Then projects, datasets and members are deleted. (session only)"""
        return cast("DeleteOrganizationAnswer", self._driver.run(_DELETE_ORGANIZATION.call({"org_slug": org_slug, "confirm": confirm})))

    def get_organization_usage(self, *, org_slug: str) -> GetOrganizationUsageAnswer:
        """Get the storage used by an organization. Contents that several datasets or versions share count once. (session, or token with workspace:read)"""
        return cast("GetOrganizationUsageAnswer", self._driver.run(_GET_ORGANIZATION_USAGE.call({"org_slug": org_slug})))

    def restore_organization(self, *, org_slug: str) -> RestoreOrganizationAnswer:
        """Restore an organization that is to be deleted. Possible until the grace period ends. (session only)"""
        return cast("RestoreOrganizationAnswer", self._driver.run(_RESTORE_ORGANIZATION.call({"org_slug": org_slug})))

    def list_members(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> ListMembersAnswer:
        """List the members of an organization. Members with their e-mail and role in the organization. (session, or token with workspace:read)"""
        return cast("ListMembersAnswer", self._driver.run(_LIST_MEMBERS.call({"org_slug": org_slug, "limit": limit, "cursor": cursor})))

    def iterate_members(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> Iterator[OrgMember]:
        """Every item of every page of `list_members`."""
        return cast("Iterator[OrgMember]", paging.iterate(self._driver, _LIST_MEMBERS, {"org_slug": org_slug, "limit": limit, "cursor": cursor}))

    def change_member(self, *, org_slug: str, user_id: str, body: ChangeMemberBody) -> ChangeMemberAnswer:
        """Change a member's role in the organization. An organization always keeps at least one admin. (session only)"""
        return cast("ChangeMemberAnswer", self._driver.run(_CHANGE_MEMBER.call({"org_slug": org_slug, "user_id": user_id}, body)))

    def remove_member(self, *, org_slug: str, user_id: str) -> RemoveMemberAnswer:
        """Remove a member from the organization, or leave it. They also lose their roles in its projects. What they made stays. (session only)"""
        return cast("RemoveMemberAnswer", self._driver.run(_REMOVE_MEMBER.call({"org_slug": org_slug, "user_id": user_id})))

    def list_project_members(self, *, org_slug: str, project_slug: str, limit: int | None = None, cursor: str | None = None) -> ListProjectMembersAnswer:
        """List the people with a role in a project. Admins of the organization are admins of every project and are listed here only if they also have a role in the project. (session, or token with workspace:read)"""
        return cast("ListProjectMembersAnswer", self._driver.run(_LIST_PROJECT_MEMBERS.call({"org_slug": org_slug, "project_slug": project_slug, "limit": limit, "cursor": cursor})))

    def iterate_project_members(self, *, org_slug: str, project_slug: str, limit: int | None = None, cursor: str | None = None) -> Iterator[ProjectMember]:
        """Every item of every page of `list_project_members`."""
        return cast("Iterator[ProjectMember]", paging.iterate(self._driver, _LIST_PROJECT_MEMBERS, {"org_slug": org_slug, "project_slug": project_slug, "limit": limit, "cursor": cursor}))

    def put_project_member(self, *, org_slug: str, project_slug: str, user_id: str, body: PutProjectMemberBody) -> PutProjectMemberAnswer:
        """Give a member of the organization a role in a project. Sets the role of a member in the project, or changes it. (session only)"""
        return cast("PutProjectMemberAnswer", self._driver.run(_PUT_PROJECT_MEMBER.call({"org_slug": org_slug, "project_slug": project_slug, "user_id": user_id}, body)))

    def remove_project_member(self, *, org_slug: str, project_slug: str, user_id: str) -> RemoveProjectMemberAnswer:
        """Remove a person's role in a project, or leave it. Admins of the organization keep their access to every project. (session only)"""
        return cast("RemoveProjectMemberAnswer", self._driver.run(_REMOVE_PROJECT_MEMBER.call({"org_slug": org_slug, "project_slug": project_slug, "user_id": user_id})))

    def create_invite(self, *, org_slug: str, body: CreateInviteBody) -> CreateInviteAnswer:
        """Invite a person to the organization, and to a project of it. A link with which the person can make their account is sent to their mailbox alone. `accept_url` works for somebody who has an account of that e-mail, has proven it and is signed in; it is not shown again. Both are valid for 7 days and work once. `account_url` is the mailed link, for the first account of a program that has no mail server, and null otherwise. (session only)"""
        return cast("CreateInviteAnswer", self._driver.run(_CREATE_INVITE.call({"org_slug": org_slug}, body)))

    def list_invites(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> ListInvitesAnswer:
        """List invites, newest first. Open, accepted, revoked and expired invites. (session only)"""
        return cast("ListInvitesAnswer", self._driver.run(_LIST_INVITES.call({"org_slug": org_slug, "limit": limit, "cursor": cursor})))

    def iterate_invites(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> Iterator[Invite]:
        """Every item of every page of `list_invites`."""
        return cast("Iterator[Invite]", paging.iterate(self._driver, _LIST_INVITES, {"org_slug": org_slug, "limit": limit, "cursor": cursor}))

    def revoke_invite(self, *, org_slug: str, invite_id: str) -> RevokeInviteAnswer:
        """Revoke an invite. Its link stops working immediately. (session only)"""
        return cast("RevokeInviteAnswer", self._driver.run(_REVOKE_INVITE.call({"org_slug": org_slug, "invite_id": invite_id})))

    def accept_invite(self, *, body: AcceptInviteBody) -> AcceptInviteAnswer:
        """Accept an invite, as the person it was made for. The signed-in account must have the e-mail address that was invited, and have proven it. (session only)"""
        return cast("AcceptInviteAnswer", self._driver.run(_ACCEPT_INVITE.call({}, body)))

    def list_audit_events(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> ListAuditEventsAnswer:
        """Who did what in the organization, newest first. The log is append-only. Needs the role admin of the organization. (session only)"""
        return cast("ListAuditEventsAnswer", self._driver.run(_LIST_AUDIT_EVENTS.call({"org_slug": org_slug, "limit": limit, "cursor": cursor})))

    def iterate_audit_events(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> Iterator[AuditEvent]:
        """Every item of every page of `list_audit_events`."""
        return cast("Iterator[AuditEvent]", paging.iterate(self._driver, _LIST_AUDIT_EVENTS, {"org_slug": org_slug, "limit": limit, "cursor": cursor}))

    def list_projects(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> ListProjectsAnswer:
        """List the projects you have a role in. Projects of the organization that you can open, with your role in each. (session, or token with workspace:read)"""
        return cast("ListProjectsAnswer", self._driver.run(_LIST_PROJECTS.call({"org_slug": org_slug, "limit": limit, "cursor": cursor})))

    def iterate_projects(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> Iterator[Project]:
        """Every item of every page of `list_projects`."""
        return cast("Iterator[Project]", paging.iterate(self._driver, _LIST_PROJECTS, {"org_slug": org_slug, "limit": limit, "cursor": cursor}))

    def create_project(self, *, org_slug: str, body: CreateProjectBody) -> CreateProjectAnswer:
        """Create a project. The slug must be free in the organization and never changes. (session only)"""
        return cast("CreateProjectAnswer", self._driver.run(_CREATE_PROJECT.call({"org_slug": org_slug}, body)))

    def get_project(self, *, org_slug: str, project_slug: str) -> GetProjectAnswer:
        """Open a project. Records your visit in `last_opened_at`, which only you see. (session, or token with workspace:read)"""
        return cast("GetProjectAnswer", self._driver.run(_GET_PROJECT.call({"org_slug": org_slug, "project_slug": project_slug})))

    def change_project(self, *, org_slug: str, project_slug: str, body: ChangeProjectBody) -> ChangeProjectAnswer:
        """Rename, archive or reactivate a project. An archived project can be read but not written to. (session only)"""
        return cast("ChangeProjectAnswer", self._driver.run(_CHANGE_PROJECT.call({"org_slug": org_slug, "project_slug": project_slug}, body)))


class AsyncProjects:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def list_organizations(self, *, limit: int | None = None, cursor: str | None = None) -> ListOrganizationsAnswer:
        """List your organizations. Organizations you are a member of, with your role in each. (session, or token with workspace:read)"""
        return cast("ListOrganizationsAnswer", await self._driver.run(_LIST_ORGANIZATIONS.call({"limit": limit, "cursor": cursor})))

    def iterate_organizations(self, *, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[Organization]:
        """Every item of every page of `list_organizations`."""
        return cast("AsyncIterator[Organization]", paging.iterate_async(self._driver, _LIST_ORGANIZATIONS, {"limit": limit, "cursor": cursor}))

    async def create_organization(self, *, body: CreateOrganizationBody) -> CreateOrganizationAnswer:
        """Create an organization; you become its admin. The slug must be free on the whole installation and never changes. A person can make as many as the operator allows (`NMP_PERSON_ORGS`), and what all of them store counts for that person (`NMP_PERSON_QUOTA_BYTES`). (session only)"""
        return cast("CreateOrganizationAnswer", await self._driver.run(_CREATE_ORGANIZATION.call({}, body)))

    async def get_organization(self, *, org_slug: str) -> GetOrganizationAnswer:
        """Get an organization. For its members; a 404 for everyone else. (session, or token with workspace:read)"""
        return cast("GetOrganizationAnswer", await self._driver.run(_GET_ORGANIZATION.call({"org_slug": org_slug})))

    async def rename_organization(self, *, org_slug: str, body: RenameOrganizationBody) -> RenameOrganizationAnswer:
        """Rename an organization, or ask its members for two-step sign-in. Changes the displayed name; the slug stays. With `require_two_step`, members whose session or token has no second proof get 403 `two_step_required` on what is of the organization; public reading is not affected. Only who has a second proof can turn it on. (session only)"""
        return cast("RenameOrganizationAnswer", await self._driver.run(_RENAME_ORGANIZATION.call({"org_slug": org_slug}, body)))

    async def delete_organization(self, *, org_slug: str, confirm: str) -> DeleteOrganizationAnswer:
        """Delete an organization after a grace period. Everything keeps working for 7 days, in which it can be restored. Then projects, datasets and members are deleted. (session only)"""
        return cast("DeleteOrganizationAnswer", await self._driver.run(_DELETE_ORGANIZATION.call({"org_slug": org_slug, "confirm": confirm})))

    async def get_organization_usage(self, *, org_slug: str) -> GetOrganizationUsageAnswer:
        """Get the storage used by an organization. Contents that several datasets or versions share count once. (session, or token with workspace:read)"""
        return cast("GetOrganizationUsageAnswer", await self._driver.run(_GET_ORGANIZATION_USAGE.call({"org_slug": org_slug})))

    async def restore_organization(self, *, org_slug: str) -> RestoreOrganizationAnswer:
        """Restore an organization that is to be deleted. Possible until the grace period ends. (session only)"""
        return cast("RestoreOrganizationAnswer", await self._driver.run(_RESTORE_ORGANIZATION.call({"org_slug": org_slug})))

    async def list_members(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> ListMembersAnswer:
        """List the members of an organization. Members with their e-mail and role in the organization. (session, or token with workspace:read)"""
        return cast("ListMembersAnswer", await self._driver.run(_LIST_MEMBERS.call({"org_slug": org_slug, "limit": limit, "cursor": cursor})))

    def iterate_members(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[OrgMember]:
        """Every item of every page of `list_members`."""
        return cast("AsyncIterator[OrgMember]", paging.iterate_async(self._driver, _LIST_MEMBERS, {"org_slug": org_slug, "limit": limit, "cursor": cursor}))

    async def change_member(self, *, org_slug: str, user_id: str, body: ChangeMemberBody) -> ChangeMemberAnswer:
        """Change a member's role in the organization. An organization always keeps at least one admin. (session only)"""
        return cast("ChangeMemberAnswer", await self._driver.run(_CHANGE_MEMBER.call({"org_slug": org_slug, "user_id": user_id}, body)))

    async def remove_member(self, *, org_slug: str, user_id: str) -> RemoveMemberAnswer:
        """Remove a member from the organization, or leave it. They also lose their roles in its projects. What they made stays. (session only)"""
        return cast("RemoveMemberAnswer", await self._driver.run(_REMOVE_MEMBER.call({"org_slug": org_slug, "user_id": user_id})))

    async def list_project_members(self, *, org_slug: str, project_slug: str, limit: int | None = None, cursor: str | None = None) -> ListProjectMembersAnswer:
        """List the people with a role in a project. Admins of the organization are admins of every project and are listed here only if they also have a role in the project. (session, or token with workspace:read)"""
        return cast("ListProjectMembersAnswer", await self._driver.run(_LIST_PROJECT_MEMBERS.call({"org_slug": org_slug, "project_slug": project_slug, "limit": limit, "cursor": cursor})))

    def iterate_project_members(self, *, org_slug: str, project_slug: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[ProjectMember]:
        """Every item of every page of `list_project_members`."""
        return cast("AsyncIterator[ProjectMember]", paging.iterate_async(self._driver, _LIST_PROJECT_MEMBERS, {"org_slug": org_slug, "project_slug": project_slug, "limit": limit, "cursor": cursor}))

    async def put_project_member(self, *, org_slug: str, project_slug: str, user_id: str, body: PutProjectMemberBody) -> PutProjectMemberAnswer:
        """Give a member of the organization a role in a project. Sets the role of a member in the project, or changes it. (session only)"""
        return cast("PutProjectMemberAnswer", await self._driver.run(_PUT_PROJECT_MEMBER.call({"org_slug": org_slug, "project_slug": project_slug, "user_id": user_id}, body)))

    async def remove_project_member(self, *, org_slug: str, project_slug: str, user_id: str) -> RemoveProjectMemberAnswer:
        """Remove a person's role in a project, or leave it. Admins of the organization keep their access to every project. (session only)"""
        return cast("RemoveProjectMemberAnswer", await self._driver.run(_REMOVE_PROJECT_MEMBER.call({"org_slug": org_slug, "project_slug": project_slug, "user_id": user_id})))

    async def create_invite(self, *, org_slug: str, body: CreateInviteBody) -> CreateInviteAnswer:
        """Invite a person to the organization, and to a project of it. A link with which the person can make their account is sent to their mailbox alone. `accept_url` works for somebody who has an account of that e-mail, has proven it and is signed in; it is not shown again. Both are valid for 7 days and work once. `account_url` is the mailed link, for the first account of a program that has no mail server, and null otherwise. (session only)"""
        return cast("CreateInviteAnswer", await self._driver.run(_CREATE_INVITE.call({"org_slug": org_slug}, body)))

    async def list_invites(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> ListInvitesAnswer:
        """List invites, newest first. Open, accepted, revoked and expired invites. (session only)"""
        return cast("ListInvitesAnswer", await self._driver.run(_LIST_INVITES.call({"org_slug": org_slug, "limit": limit, "cursor": cursor})))

    def iterate_invites(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[Invite]:
        """Every item of every page of `list_invites`."""
        return cast("AsyncIterator[Invite]", paging.iterate_async(self._driver, _LIST_INVITES, {"org_slug": org_slug, "limit": limit, "cursor": cursor}))

    async def revoke_invite(self, *, org_slug: str, invite_id: str) -> RevokeInviteAnswer:
        """Revoke an invite. Its link stops working immediately. (session only)"""
        return cast("RevokeInviteAnswer", await self._driver.run(_REVOKE_INVITE.call({"org_slug": org_slug, "invite_id": invite_id})))

    async def accept_invite(self, *, body: AcceptInviteBody) -> AcceptInviteAnswer:
        """Accept an invite, as the person it was made for. The signed-in account must have the e-mail address that was invited, and have proven it. (session only)"""
        return cast("AcceptInviteAnswer", await self._driver.run(_ACCEPT_INVITE.call({}, body)))

    async def list_audit_events(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> ListAuditEventsAnswer:
        """Who did what in the organization, newest first. The log is append-only. Needs the role admin of the organization. (session only)"""
        return cast("ListAuditEventsAnswer", await self._driver.run(_LIST_AUDIT_EVENTS.call({"org_slug": org_slug, "limit": limit, "cursor": cursor})))

    def iterate_audit_events(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[AuditEvent]:
        """Every item of every page of `list_audit_events`."""
        return cast("AsyncIterator[AuditEvent]", paging.iterate_async(self._driver, _LIST_AUDIT_EVENTS, {"org_slug": org_slug, "limit": limit, "cursor": cursor}))

    async def list_projects(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> ListProjectsAnswer:
        """List the projects you have a role in. Projects of the organization that you can open, with your role in each. (session, or token with workspace:read)"""
        return cast("ListProjectsAnswer", await self._driver.run(_LIST_PROJECTS.call({"org_slug": org_slug, "limit": limit, "cursor": cursor})))

    def iterate_projects(self, *, org_slug: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[Project]:
        """Every item of every page of `list_projects`."""
        return cast("AsyncIterator[Project]", paging.iterate_async(self._driver, _LIST_PROJECTS, {"org_slug": org_slug, "limit": limit, "cursor": cursor}))

    async def create_project(self, *, org_slug: str, body: CreateProjectBody) -> CreateProjectAnswer:
        """Create a project. The slug must be free in the organization and never changes. (session only)"""
        return cast("CreateProjectAnswer", await self._driver.run(_CREATE_PROJECT.call({"org_slug": org_slug}, body)))

    async def get_project(self, *, org_slug: str, project_slug: str) -> GetProjectAnswer:
        """Open a project. Records your visit in `last_opened_at`, which only you see. (session, or token with workspace:read)"""
        return cast("GetProjectAnswer", await self._driver.run(_GET_PROJECT.call({"org_slug": org_slug, "project_slug": project_slug})))

    async def change_project(self, *, org_slug: str, project_slug: str, body: ChangeProjectBody) -> ChangeProjectAnswer:
        """Rename, archive or reactivate a project. An archived project can be read but not written to. (session only)"""
        return cast("ChangeProjectAnswer", await self._driver.run(_CHANGE_PROJECT.call({"org_slug": org_slug, "project_slug": project_slug}, body)))
