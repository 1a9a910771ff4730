import { addCheckWaiting, type CheckWaiting } from './check-waiting.ts'
import { addExportWaiting, type ExportWaiting } from './export-waiting.ts'
import { type Groups, groupTables } from './generated/groups.ts'
import { addImportWaiting, type ImportWaiting } from './import-waiting.ts'
import type { CallOptions, OperationTable } from './operation.ts'
import { iteratePages } from './paging.ts'
import { type ClientOptions, createTransport, type Input, type Transport } from './transport.ts'
import { cancelUpload, type FinishedUpload, type UploadOptions, type UploadSource, uploadFile } from './upload.ts'

export { ApiError, ConnectionError, type ValidationIssue } from './api-error.ts'
export type { CallOptions } from './operation.ts'
export type { ClientOptions } from './transport.ts'
export { JobError } from './waiting.ts'

/** Uploads speak tus, which OpenAPI cannot describe. */
export interface Uploads {
  /** Sends a file so that breaks cost little; `id` of the answer goes into `upload_ids` of an import. */
  send(source: UploadSource | Blob, options: UploadOptions): Promise<FinishedUpload>
  cancel(upload: { url: string }): Promise<void>
}

export interface Client extends Omit<Groups, 'imports' | 'exports'> {
  baseUrl: string
  imports: Groups['imports'] & ImportWaiting
  exports: Groups['exports'] & ExportWaiting
  /** Runs of the checks, of datasets and versions alike. */
  checks: CheckWaiting
  uploads: Uploads
  /** For requests that the contract does not list, with the client's credential. */
  transport: Transport
}

export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options)
  const groups = Object.fromEntries(
    Object.entries(groupTables).map(([name, table]) => [name, bindOperations(transport, table)]),
  ) as unknown as Groups
  return {
    ...groups,
    imports: { ...groups.imports, ...addImportWaiting(transport, groups.imports, groups.versions) },
    exports: { ...groups.exports, ...addExportWaiting(transport, groups.exports) },
    checks: addCheckWaiting(transport, groups),
    uploads: {
      send: (source, uploadOptions) => uploadFile(transport, source, uploadOptions),
      cancel: (upload) => cancelUpload(transport, upload),
    },
    baseUrl: transport.baseUrl,
    transport,
  }
}

type Method = (input?: Input, options?: CallOptions) => unknown

/** The generated interfaces say what these methods take and answer; the tables say how they are sent. */
function bindOperations(transport: Transport, table: OperationTable): Record<string, Method> {
  const methods: Record<string, Method> = {}
  for (const [id, operation] of Object.entries(table)) {
    methods[id] = (input, options) => transport.call(operation, input, options)
    if (operation.paging) {
      methods[`iterate${id.replace(/^(list|browse|get)/, '')}`] = (input, options) =>
        iteratePages(transport, operation, input, options)
    }
  }
  return methods
}
