import { createCheckHandler } from './checks/run.ts'
import type { Context } from './context.ts'
import { createFingerprintHandler } from './diff/run.ts'
import { createExportHandler } from './exports/run.ts'
import { createShardHandler } from './exports/run-shard.ts'
import { createImportHandler } from './imports/run/run.ts'
import type { JobHandler } from './jobs/handler.ts'
import { createMeasureHandler } from './signals/run.ts'

/** Every kind of job a worker runs, as routes.ts is every route. */
export const createJobHandlers = (context: Context): readonly JobHandler[] => [
  createImportHandler(context),
  createExportHandler(context),
  createShardHandler(context),
  createCheckHandler(context),
  createFingerprintHandler(context),
  createMeasureHandler(context),
]
