import type { CreateImport, WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'

/** What a source hands over once it is ready to be imported. */
export type SourceReady = Pick<CreateImport, 'source_kind'> &
  Partial<Pick<CreateImport, 'hf_repo_id' | 'hf_revision' | 'hf_token' | 'source_uri' | 'upload_ids'>> & {
    /** What this browser remembers of uploads until the import has them. */
    memoryKeys?: string[]
    /** Uploads that the import before has: it is done again. */
    retryOf?: ImportJob
  }
