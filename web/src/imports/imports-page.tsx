import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import './imports.css'
import { importsQuery, isMoving } from '../data/imports.ts'
import type { ImportsSearch } from '../data/searches.ts'
import { Button, Segmented } from '../parts/controls.tsx'
import { readDrop, type UploadFile } from '../parts/dropped-files.ts'
import { Icon } from '../parts/icon.tsx'
import { useMediaQuery } from '../parts/media-query.ts'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { useKeys } from '../session/keys.ts'
import { useIsLive } from '../session/live.ts'
import { signIn, useSession } from '../session/sign-in.ts'
import { canEdit, useWorkspace } from '../session/workspace.ts'
import { readRepoId } from './hub-source.tsx'
import { ImportItem } from './import-item.tsx'
import { NewImport } from './new-import.tsx'

const routeApi = getRouteApi('/orgs/$org/projects/$project/imports')

export function ImportsPage() {
  const { org, project } = routeApi.useParams()
  const search = routeApi.useSearch()
  const go = routeApi.useNavigate()
  const navigate = useNavigate()
  const { jobId } = useParams({ strict: false })
  const session = useSession()
  const workspace = useWorkspace()
  const isLive = useIsLive()
  const cache = useQueryClient()
  const imports = useQuery({ ...importsQuery(org, project), enabled: session === 'signed-in' })
  const [dropped, setDropped] = useState<UploadFile[]>([])
  const [isOver, setOver] = useState(false)
  const mayImport = canEdit(workspace?.role)
  const openNew = (kind: ImportsSearch['new']) => void go({ search: (old: ImportsSearch) => ({ ...old, new: kind }) })
  const closeNew = () =>
    void go({
      search: (old: ImportsSearch) => ({ ...old, new: undefined, again: undefined, slug: undefined, title: undefined }),
      replace: true,
    })
  useEffect(() => {
    document.title = 'Imports · nmp'
  }, [])
  const [pasted, setPasted] = useState('')
  usePastedRepository(mayImport, (repository) => {
    setPasted(repository)
    openNew('huggingface')
  })
  useKeys({ ...(mayImport ? { n: () => openNew('huggingface') } : {}) })
  const jobs = imports.data?.items ?? []
  const counts = {
    running: jobs.filter(isMoving).length,
    failed: jobs.filter(({ status }) => status === 'failed').length,
    done: jobs.filter(({ status }) => status === 'succeeded' || status === 'canceled').length,
  }
  const again = jobs.find(({ id }) => id === search.again)
  // The form begins with what that import was made of, so it waits for it.
  const isFormReady = search.again === undefined || again !== undefined || imports.isFetched
  const shown = order(jobs).filter(
    (job) =>
      search.show === undefined ||
      (search.show === 'running' && isMoving(job)) ||
      (search.show === 'failed' && job.status === 'failed') ||
      (search.show === 'done' && (job.status === 'succeeded' || job.status === 'canceled')),
  )
  // Beside the list there is room for one: the newest, or the one that needs somebody.
  const first = shown[0]?.id
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
  if (session !== 'signed-in')
    return (
      <div className="page">
        <Empty
          title="Imports belong to a project"
          actions={
            <Button look="primary" onClick={() => void signIn()}>
              Sign in
            </Button>
          }
        />
      </div>
    )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files may be dropped anywhere; the button does the same
    <div
      className="imp"
      data-open={jobId !== undefined}
      onDragOver={(event) => {
        if (!mayImport || !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setOver(false)
      }}
      onDrop={(event) => {
        if (!mayImport) return
        event.preventDefault()
        setOver(false)
        void readDrop(event.dataTransfer).then((files) => {
          setDropped(files)
          openNew('upload')
        })
      }}
    >
      <section className="imp-list" aria-label="Imports">
        <div className="imp-head">
          <h1>Imports</h1>
          {mayImport && (
            <span className="end">
              <Button look="primary" icon="plus" shortcut="N" onClick={() => openNew('huggingface')}>
                New import
              </Button>
            </span>
          )}
        </div>
        <div className="imp-filter">
          <Segmented
            label="Show"
            small
            value={search.show ?? 'all'}
            onChange={(show) =>
              void go({
                search: (old: ImportsSearch) => ({ ...old, show: show === 'all' ? undefined : show }),
                replace: true,
              })
            }
            options={[
              { value: 'all', label: `All ${jobs.length}` },
              { value: 'running', label: `Running ${counts.running}` },
              { value: 'failed', label: `Failed ${counts.failed}` },
              { value: 'done', label: `Done ${counts.done}` },
            ]}
          />
          <span className="end sm mid">
            {isLive && (
              <>
                <i className="live-dot" />
                live
              </>
            )}
          </span>
        </div>
        {imports.error && (
          <Failure error={imports.error} what="The imports did not load" onRetry={() => void imports.refetch()} />
        )}
        {imports.isPending && (
          <div className="px-4">
            <Skeleton rows={5} height={64} />
          </div>
        )}
        {imports.data && jobs.length === 0 && (
          <div className="px-4">
            <Empty
              title="No imports yet"
              actions={
                mayImport && (
                  <>
                    <Button look="primary" icon="plus" onClick={() => openNew('huggingface')}>
                      New import
                    </Button>
                    <Button onClick={() => openNew('upload')}>Upload files</Button>
                  </>
                )
              }
            >
              Import demonstrations: a Hugging Face repository, HDF5 files or a LeRobot folder. The source is never
              changed.
            </Empty>
          </div>
        )}
        {shown.length > 0 && (
          <ul>
            {shown.map((job) => (
              <ImportItem key={job.id} job={job} isCurrent={job.id === jobId} mayImport={mayImport} />
            ))}
          </ul>
        )}
        {mayImport && (
          <button type="button" className="drop mt-4" onClick={() => openNew('upload')}>
            <Icon name="download" />
            <span>
              <b>Drop HDF5 files or a LeRobot folder here</b> or paste a Hugging Face repository
            </span>
          </button>
        )}
      </section>
      <section className="imp-detail" aria-label="The chosen import">
        {jobId ? (
          <Outlet />
        ) : (
          <div className="page desk">
            <Empty title={jobs.length > 0 ? 'Choose an import' : 'Nothing chosen'}>
              Its phases, report, previews and, for HDF5, the tree of the file appear here.
            </Empty>
          </div>
        )}
      </section>
      {isOver && <div className="drop-veil">Drop to import into {project}</div>}
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
          onClose={() => {
            setDropped([])
            setPasted('')
            closeNew()
          }}
          onCreated={(job) => {
            setDropped([])
            void cache.invalidateQueries({ queryKey: ['imports', org, project] })
            void navigate({
              to: '/orgs/$org/projects/$project/imports/$jobId',
              params: { org, project, jobId: job.id },
            })
          }}
        />
      )}
    </div>
  )
}

/** A repository's address pasted anywhere on the page begins its import. */
function usePastedRepository(isOn: boolean, onPaste: (repository: string) => void): void {
  const current = useRef(onPaste)
  current.current = onPaste
  useEffect(() => {
    if (!isOn) return
    const listen = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLElement && event.target.matches('input,textarea,[contenteditable]')) return
      const text = event.clipboardData?.getData('text').trim() ?? ''
      if (readRepoId(text)) current.current(text)
    }
    window.addEventListener('paste', listen)
    return () => window.removeEventListener('paste', listen)
  }, [isOn])
}

/** Moving ones first, then failed ones of today, then the rest by time. */
function order(jobs: readonly ImportJob[]): ImportJob[] {
  const recently = Date.now() - 24 * 3_600_000
  const rank = (job: ImportJob) =>
    isMoving(job) ? 0 : job.status === 'failed' && Date.parse(job.updated_at) > recently ? 1 : 2
  return [...jobs].sort(
    (one, other) => rank(one) - rank(other) || Date.parse(other.created_at) - Date.parse(one.created_at),
  )
}
