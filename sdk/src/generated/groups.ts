// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { OperationTable } from '../operation.ts'
import { type CatalogOperations, catalogOperations } from './catalog.ts'
import { type CurationOperations, curationOperations } from './curation.ts'
import { type DatasetsOperations, datasetsOperations } from './datasets.ts'
import { type EventsOperations, eventsOperations } from './events.ts'
import { type ExportsOperations, exportsOperations } from './exports.ts'
import { type ImportsOperations, importsOperations } from './imports.ts'
import { type MediaOperations, mediaOperations } from './media.ts'
import { type NotificationsOperations, notificationsOperations } from './notifications.ts'
import { type PlatformOperations, platformOperations } from './platform.ts'
import { type ProjectsOperations, projectsOperations } from './projects.ts'
import { type UsersOperations, usersOperations } from './users.ts'
import { type VersionsOperations, versionsOperations } from './versions.ts'

/** One property per group of the API; a method is named by its operation id. */
export interface Groups {
  catalog: CatalogOperations
  curation: CurationOperations
  datasets: DatasetsOperations
  events: EventsOperations
  exports: ExportsOperations
  imports: ImportsOperations
  media: MediaOperations
  notifications: NotificationsOperations
  platform: PlatformOperations
  projects: ProjectsOperations
  users: UsersOperations
  versions: VersionsOperations
}

export const groupTables: Record<keyof Groups, OperationTable> = {
  catalog: catalogOperations,
  curation: curationOperations,
  datasets: datasetsOperations,
  events: eventsOperations,
  exports: exportsOperations,
  imports: importsOperations,
  media: mediaOperations,
  notifications: notificationsOperations,
  platform: platformOperations,
  projects: projectsOperations,
  users: usersOperations,
  versions: versionsOperations,
}
