import type {
  CheckHuggingFace,
  CreateImport,
  WorkspaceImportJob as ImportJob,
  ImportOptions,
} from '@nmp/sdk/generated/records'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../session/client.ts'

export const isMoving = ({ status }: Pick<ImportJob, 'status'>): boolean => status === 'running' || status === 'queued'

const place = (org: string, project: string) => ({ org_slug: org, project_slug: project })

export const importsQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['imports', org, project],
    queryFn: ({ signal }) => client.imports.listImports({ ...place(org, project), limit: 200 }, { signal }),
    // The live stream moves the list; this is for when it cannot be opened.
    refetchInterval: (query) => (query.state.data?.items.some(isMoving) ? 4000 : false),
  })

/** Those at work, for every page: the whole list may be long. */
export const movingImportsQuery = (org: string, project: string) =>
  queryOptions({
    queryKey: ['imports-moving', org, project],
    queryFn: async ({ signal }) => {
      const list = (status: 'running' | 'queued') =>
        client.imports.listImports({ ...place(org, project), status, limit: 50 }, { signal })
      const [running, queued] = await Promise.all([list('running'), list('queued')])
      return { items: [...running.items, ...queued.items] }
    },
    refetchInterval: (query) => (query.state.data?.items.some(isMoving) ? 4000 : false),
  })

export const importQuery = (org: string, project: string, id: string) =>
  queryOptions({
    queryKey: ['import', id],
    queryFn: async ({ signal }) =>
      (await client.imports.getImport({ ...place(org, project), job_id: id }, { signal })).item,
    refetchInterval: (query) => (query.state.data && isMoving(query.state.data) ? 4000 : false),
  })

export const reportQuery = (org: string, project: string, id: string) =>
  queryOptions({
    queryKey: ['import-report', id],
    queryFn: async ({ signal }) =>
      (await client.imports.getImportReport({ ...place(org, project), job_id: id }, { signal })).item,
  })

export const dismissImport = ({ org_slug, project_slug, id }: ImportJob, dismissed: boolean) =>
  client.imports.dismissImport({ org_slug, project_slug, job_id: id, body: { dismissed } })

export const cancelImport = ({ org_slug, project_slug, id }: ImportJob) =>
  client.imports.cancelImport({ org_slug, project_slug, job_id: id })

export const retryImport = ({ org_slug, project_slug, id }: ImportJob, options: ImportOptions) =>
  client.imports.retryImport({ org_slug, project_slug, job_id: id, body: { options } })

export const createImport = (org: string, project: string, body: CreateImport) =>
  client.imports.createImport({ ...place(org, project), body })

export const checkHub = (org: string, project: string, body: CheckHuggingFace) =>
  client.imports.checkHuggingFace({ ...place(org, project), body })

export const getPreviewUrl = ({ org_slug, project_slug, id }: ImportJob, name: string) =>
  client.imports.getImportPreviewUrl({ org_slug, project_slug, job_id: id, name })
