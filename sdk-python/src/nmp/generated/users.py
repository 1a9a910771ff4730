# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    ApiToken,
    ChangeProfileAnswer,
    ChangeProfileBody,
    CreateTokenAnswer,
    CreateTokenBody,
    DeleteAccountAnswer,
    EndOtherSessionsAnswer,
    EndSessionAnswer,
    GetCurrentUserAnswer,
    GetProfileAnswer,
    ListSessionsAnswer,
    ListTokensAnswer,
    RevokeTokenAnswer,
    Session,
    SignOutAnswer,
)

_GET_CURRENT_USER = Operation("getCurrentUser", "GET", "/api/v1/users/me", repeatable=True)
_DELETE_ACCOUNT = Operation("deleteAccount", "DELETE", "/api/v1/users/me", query=("confirm",), repeatable=True)
_SIGN_OUT = Operation("signOut", "POST", "/api/v1/users/me/sign-out", repeatable=True)
_GET_PROFILE = Operation("getProfile", "GET", "/api/v1/users/me/profile", repeatable=True)
_CHANGE_PROFILE = Operation("changeProfile", "PATCH", "/api/v1/users/me/profile")
_LIST_SESSIONS = Operation("listSessions", "GET", "/api/v1/users/me/sessions", query=("limit", "cursor",), paging="cursor", repeatable=True)
_END_OTHER_SESSIONS = Operation("endOtherSessions", "DELETE", "/api/v1/users/me/sessions", repeatable=True)
_END_SESSION = Operation("endSession", "DELETE", "/api/v1/users/me/sessions/{session_id}", repeatable=True)
_CREATE_TOKEN = Operation("createToken", "POST", "/api/v1/users/me/tokens")
_LIST_TOKENS = Operation("listTokens", "GET", "/api/v1/users/me/tokens", query=("limit", "cursor",), paging="cursor", repeatable=True)
_REVOKE_TOKEN = Operation("revokeToken", "DELETE", "/api/v1/users/me/tokens/{token_id}", repeatable=True)


class Users:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def get_current_user(self) -> GetCurrentUserAnswer:
        """Get the current user with their organizations and projects. Includes every project you can open, with your role in it. (session, or token with workspace:read)"""
        return cast("GetCurrentUserAnswer", self._driver.run(_GET_CURRENT_USER.call({})))

    def delete_account(self, *, confirm: str) -> DeleteAccountAnswer:
        """Delete your account after a grace period. Tokens and sessions end at once. Sign in within 7 days to keep the account. Organizations without other members are deleted with it. (session only)"""
        return cast("DeleteAccountAnswer", self._driver.run(_DELETE_ACCOUNT.call({"confirm": confirm})))

    def sign_out(self) -> SignOutAnswer:
        """End this session everywhere. The session token and its refresh token stop working immediately. (session only)"""
        return cast("SignOutAnswer", self._driver.run(_SIGN_OUT.call({})))

    def get_profile(self) -> GetProfileAnswer:
        """Your profile. Name, time zone, default project and notification settings. (session, or token with workspace:read)"""
        return cast("GetProfileAnswer", self._driver.run(_GET_PROFILE.call({})))

    def change_profile(self, *, body: ChangeProfileBody) -> ChangeProfileAnswer:
        """Change your profile. Omitted fields stay unchanged. (session only)"""
        return cast("ChangeProfileAnswer", self._driver.run(_CHANGE_PROFILE.call({}, body)))

    def list_sessions(self, *, limit: int | None = None, cursor: str | None = None) -> ListSessionsAnswer:
        """List where you are signed in, newest first. Browsers and programs with a session. Personal access tokens are listed apart. `last_seen_at` is right to a minute. (session only)"""
        return cast("ListSessionsAnswer", self._driver.run(_LIST_SESSIONS.call({"limit": limit, "cursor": cursor})))

    def iterate_sessions(self, *, limit: int | None = None, cursor: str | None = None) -> Iterator[Session]:
        """Every item of every page of `list_sessions`."""
        return cast("Iterator[Session]", paging.iterate(self._driver, _LIST_SESSIONS, {"limit": limit, "cursor": cursor}))

    def end_other_sessions(self) -> EndOtherSessionsAnswer:
        """End all your other sessions. All but the one that asks are refused from their next request on. Personal access tokens stay. (session only)"""
        return cast("EndOtherSessionsAnswer", self._driver.run(_END_OTHER_SESSIONS.call({})))

    def end_session(self, *, session_id: str) -> EndSessionAnswer:
        """End one of your sessions. It is refused from its next request on, with its refresh token; a browser has to sign in again. (session only)"""
        return cast("EndSessionAnswer", self._driver.run(_END_SESSION.call({"session_id": session_id})))

    def create_token(self, *, body: CreateTokenBody) -> CreateTokenAnswer:
        """Create a personal access token. `token` in this answer is the secret. It is never shown again, so keep it. (session only)"""
        return cast("CreateTokenAnswer", self._driver.run(_CREATE_TOKEN.call({}, body)))

    def list_tokens(self, *, limit: int | None = None, cursor: str | None = None) -> ListTokensAnswer:
        """List your personal access tokens, newest first. Revoked and expired tokens are included. Secrets are never shown again. (session only)"""
        return cast("ListTokensAnswer", self._driver.run(_LIST_TOKENS.call({"limit": limit, "cursor": cursor})))

    def iterate_tokens(self, *, limit: int | None = None, cursor: str | None = None) -> Iterator[ApiToken]:
        """Every item of every page of `list_tokens`."""
        return cast("Iterator[ApiToken]", paging.iterate(self._driver, _LIST_TOKENS, {"limit": limit, "cursor": cursor}))

    def revoke_token(self, *, token_id: str) -> RevokeTokenAnswer:
        """Revoke a personal access token. It stops working immediately. Revoking it again returns the same record. (session only)"""
        return cast("RevokeTokenAnswer", self._driver.run(_REVOKE_TOKEN.call({"token_id": token_id})))


class AsyncUsers:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def get_current_user(self) -> GetCurrentUserAnswer:
        """Get the current user with their organizations and projects. Includes every project you can open, with your role in it. (session, or token with workspace:read)"""
        return cast("GetCurrentUserAnswer", await self._driver.run(_GET_CURRENT_USER.call({})))

    async def delete_account(self, *, confirm: str) -> DeleteAccountAnswer:
        """Delete your account after a grace period. Tokens and sessions end at once. Sign in within 7 days to keep the account. Organizations without other members are deleted with it. (session only)"""
        return cast("DeleteAccountAnswer", await self._driver.run(_DELETE_ACCOUNT.call({"confirm": confirm})))

    async def sign_out(self) -> SignOutAnswer:
        """End this session everywhere. The session token and its refresh token stop working immediately. (session only)"""
        return cast("SignOutAnswer", await self._driver.run(_SIGN_OUT.call({})))

    async def get_profile(self) -> GetProfileAnswer:
        """Your profile. Name, time zone, default project and notification settings. (session, or token with workspace:read)"""
        return cast("GetProfileAnswer", await self._driver.run(_GET_PROFILE.call({})))

    async def change_profile(self, *, body: ChangeProfileBody) -> ChangeProfileAnswer:
        """Change your profile. Omitted fields stay unchanged. (session only)"""
        return cast("ChangeProfileAnswer", await self._driver.run(_CHANGE_PROFILE.call({}, body)))

    async def list_sessions(self, *, limit: int | None = None, cursor: str | None = None) -> ListSessionsAnswer:
        """List where you are signed in, newest first. Browsers and programs with a session. Personal access tokens are listed apart. `last_seen_at` is right to a minute. (session only)"""
        return cast("ListSessionsAnswer", await self._driver.run(_LIST_SESSIONS.call({"limit": limit, "cursor": cursor})))

    def iterate_sessions(self, *, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[Session]:
        """Every item of every page of `list_sessions`."""
        return cast("AsyncIterator[Session]", paging.iterate_async(self._driver, _LIST_SESSIONS, {"limit": limit, "cursor": cursor}))

    async def end_other_sessions(self) -> EndOtherSessionsAnswer:
        """End all your other sessions. All but the one that asks are refused from their next request on. Personal access tokens stay. (session only)"""
        return cast("EndOtherSessionsAnswer", await self._driver.run(_END_OTHER_SESSIONS.call({})))

    async def end_session(self, *, session_id: str) -> EndSessionAnswer:
        """End one of your sessions. It is refused from its next request on, with its refresh token; a browser has to sign in again. (session only)"""
        return cast("EndSessionAnswer", await self._driver.run(_END_SESSION.call({"session_id": session_id})))

    async def create_token(self, *, body: CreateTokenBody) -> CreateTokenAnswer:
        """Create a personal access token. `token` in this answer is the secret. It is never shown again, so keep it. (session only)"""
        return cast("CreateTokenAnswer", await self._driver.run(_CREATE_TOKEN.call({}, body)))

    async def list_tokens(self, *, limit: int | None = None, cursor: str | None = None) -> ListTokensAnswer:
        """List your personal access tokens, newest first. Revoked and expired tokens are included. Secrets are never shown again. (session only)"""
        return cast("ListTokensAnswer", await self._driver.run(_LIST_TOKENS.call({"limit": limit, "cursor": cursor})))

    def iterate_tokens(self, *, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[ApiToken]:
        """Every item of every page of `list_tokens`."""
        return cast("AsyncIterator[ApiToken]", paging.iterate_async(self._driver, _LIST_TOKENS, {"limit": limit, "cursor": cursor}))

    async def revoke_token(self, *, token_id: str) -> RevokeTokenAnswer:
        """Revoke a personal access token. It stops working immediately. Revoking it again returns the same record. (session only)"""
        return cast("RevokeTokenAnswer", await self._driver.run(_REVOKE_TOKEN.call({"token_id": token_id})))
