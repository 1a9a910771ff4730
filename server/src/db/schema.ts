import type { AuditTables } from '../audit/tables.ts'
import type { CheckTables } from '../checks/tables.ts'
import type { ConsistencyTables } from '../consistency/tables.ts'
import type { CurationTables } from '../curation/tables.ts'
import type { CatalogTables } from '../datasets/listing/tables.ts'
import type { DatasetTables } from '../datasets/tables.ts'
import type { DiffTables } from '../diff/tables.ts'
import type { ExportTables } from '../exports/tables.ts'
import type { HubTables } from '../hub/tables.ts'
import type { IdentityTables } from '../identity/tables.ts'
import type { ImportTables } from '../imports/tables.ts'
import type { JobTables } from '../jobs/tables.ts'
import type { NotificationTables } from '../notifications/tables.ts'
import type { OrganizationTables } from '../organizations/tables.ts'
import type { SignalTables } from '../signals/tables.ts'
import type { StorageTables } from '../storage/tables.ts'
import type { UploadTables } from '../uploads/tables.ts'
import type { DraftTables, VersionTables } from '../versions/tables.ts'
import type { MigrationTables } from './migrations.ts'

/** Every table, as each noun declares its own in `<noun>/tables.ts`. */
export interface Schema
  extends MigrationTables,
    JobTables,
    ImportTables,
    IdentityTables,
    OrganizationTables,
    AuditTables,
    CheckTables,
    SignalTables,
    DatasetTables,
    CurationTables,
    CatalogTables,
    StorageTables,
    NotificationTables,
    ConsistencyTables,
    UploadTables,
    VersionTables,
    DraftTables,
    ExportTables,
    DiffTables,
    HubTables {}
