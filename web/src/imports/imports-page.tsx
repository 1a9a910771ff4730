import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { importsQuery } from '../data/imports.ts'
import { refresh } from '../data/refresh.ts'
import type { ImportsSearch } from '../data/searches.ts'
import type { UploadFile } from '../parts/dropped-files.ts'
import { useMediaQuery } from '../parts/media-query.ts'
import { Empty } from '../parts/states.tsx'
import { useKeys } from '../session/keys.ts'
import { canEdit, useWorkspace } from '../session/workspace.ts'
import { useFileDrop, usePastedRepository } from './brought-in.ts'
import { ImportsList, listShown } from './imports-list.tsx'
import { NewImport } from './new-import.tsx'
import './imports-page.css'

const routeApi = getRouteApi('/signed-in/orgs/$org/projects/$project/imports')

/** The list, the chosen import beside it, and the form over both: files, addresses and the N key open it. */
export function ImportsPage() {
  const { org, project } = routeApi.useParams()
  const search = routeApi.useSearch()
  const go = routeApi.useNavigate()
  const navigate = useNavigate()
  const { jobId } = useParams({ strict: false })
  const mayImport = canEdit(useWorkspace()?.role)
  const imports = useQuery(importsQuery(org, project))
  const [dropped, setDropped] = useState<UploadFile[]>([])
  const [pasted, setPasted] = useState('')
  const change = (next: Partial<ImportsSearch>, replace = true) =>
    void go({ search: (old: ImportsSearch) => ({ ...old, ...next }), replace })
  const openNew = (kind: ImportsSearch['new']) => change({ new: kind }, false)
  useEffect(() => {
    document.title = 'Imports · nmp'
  }, [])
  const drop = useFileDrop(mayImport, (files) => {
    setDropped(files)
    openNew('upload')
  })
  usePastedRepository(mayImport, (repository) => {
    setPasted(repository)
    openNew('huggingface')
  })
  useKeys({ ...(mayImport ? { n: () => openNew('huggingface') } : {}) })
  const jobs = imports.data?.items ?? []
  const shown = listShown(jobs, search.show)
  const again = jobs.find(({ id }) => id === search.again)
  // The form begins with what that import was made of, so it waits for it.
  const isFormReady = search.again === undefined || again !== undefined || imports.isFetched
  useFirstOpened(org, project, jobId, shown[0]?.id)
  const openMade = (job: ImportJob) => {
    setDropped([])
    void refresh.imports(org, project)
    void navigate({ to: '/orgs/$org/projects/$project/imports/$jobId', params: { org, project, jobId: job.id } })
  }
  const closeNew = () => {
    setDropped([])
    setPasted('')
    change({ new: undefined, again: undefined, slug: undefined, title: undefined })
  }
  return (
    <div className="imports" data-open={jobId !== undefined} {...drop.handlers}>
      <ImportsList
        imports={imports}
        shown={shown}
        show={search.show}
        current={jobId}
        mayImport={mayImport}
        onShow={(show) => change({ show })}
        onNew={openNew}
      />
      <section className="import-detail" aria-label="The chosen import">
        {jobId ? (
          <Outlet />
        ) : (
          <div className="page desktop-only">
            <Empty title={jobs.length > 0 ? 'Choose an import' : 'Nothing chosen'}>
              Its phases, report, previews and, for HDF5, the tree of the file appear here.
            </Empty>
          </div>
        )}
      </section>
      {drop.isOver && <div className="drop-veil">Drop to import into {project}</div>}
      {search.new && mayImport && isFormReady && (
        <NewImport
          org={org}
          project={project}
          kind={search.new}
          files={dropped}
          repository={pasted}
          key={search.again}
          again={again}
          slug={search.slug}
          title={search.title}
          onKind={openNew}
          onClose={closeNew}
          onCreated={openMade}
        />
      )}
    </div>
  )
}

/** Beside the list there is room for one: the newest, or the one that needs somebody. */
function useFirstOpened(org: string, project: string, jobId: string | undefined, first: string | undefined): void {
  const navigate = useNavigate()
  const isWide = useMediaQuery('(min-width: 761px)')
  useEffect(() => {
    if (jobId || !first || !isWide) return
    void navigate({
      to: '/orgs/$org/projects/$project/imports/$jobId',
      params: { org, project, jobId: first },
      search: (old: object) => old,
      replace: true,
    })
  }, [jobId, first, isWide, navigate, org, project])
}
