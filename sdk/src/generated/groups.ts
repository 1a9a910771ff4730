// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { OperationTable } from '../operation.ts'
import { type ImportsOperations, importsOperations } from './imports.ts'
import { type MediaOperations, mediaOperations } from './media.ts'
import { type PlatformOperations, platformOperations } from './platform.ts'
import { type ProjectsOperations, projectsOperations } from './projects.ts'
import { type UsersOperations, usersOperations } from './users.ts'

/** One property per group of the API; a method is named by its operation id. */
export interface Groups {
  imports: ImportsOperations
  media: MediaOperations
  platform: PlatformOperations
  projects: ProjectsOperations
  users: UsersOperations
}

export const groupTables: Record<keyof Groups, OperationTable> = {
  imports: importsOperations,
  media: mediaOperations,
  platform: platformOperations,
  projects: projectsOperations,
  users: usersOperations,
}
