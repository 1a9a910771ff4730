# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from ..drivers import AsyncDriver, SyncDriver
from . import catalog, curation, datasets, events, exports, imports, media, notifications, platform, projects, users, versions


class Groups:
    """One attribute per group of the API; a method is named by its operation id."""

    def __init__(self, driver: SyncDriver) -> None:
        self.catalog = catalog.Catalog(driver)
        self.curation = curation.Curation(driver)
        self.datasets = datasets.Datasets(driver)
        self.events = events.Events(driver)
        self.exports = exports.Exports(driver)
        self.imports = imports.Imports(driver)
        self.media = media.Media(driver)
        self.notifications = notifications.Notifications(driver)
        self.platform = platform.Platform(driver)
        self.projects = projects.Projects(driver)
        self.users = users.Users(driver)
        self.versions = versions.Versions(driver)


class AsyncGroups:
    """One attribute per group of the API; a method is named by its operation id."""

    def __init__(self, driver: AsyncDriver) -> None:
        self.catalog = catalog.AsyncCatalog(driver)
        self.curation = curation.AsyncCuration(driver)
        self.datasets = datasets.AsyncDatasets(driver)
        self.events = events.AsyncEvents(driver)
        self.exports = exports.AsyncExports(driver)
        self.imports = imports.AsyncImports(driver)
        self.media = media.AsyncMedia(driver)
        self.notifications = notifications.AsyncNotifications(driver)
        self.platform = platform.AsyncPlatform(driver)
        self.projects = projects.AsyncProjects(driver)
        self.users = users.AsyncUsers(driver)
        self.versions = versions.AsyncVersions(driver)
