import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import type { UseQueryResult } from '@tanstack/react-query'
import { isMoving } from '../data/imports.ts'
import { useIsLive } from '../data/liveness.ts'
import type { ImportsSearch } from '../data/searches.ts'
import { Button, Segmented } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { ImportItem } from './import-item.tsx'
import './drop-place.css'
import './imports-page.css'

interface ImportsListProps {
  imports: UseQueryResult<{ items: ImportJob[] }>
  /** Those of them that the filter leaves, in the order of the list. */
  shown: readonly ImportJob[]
  show: ImportsSearch['show']
  current: string | undefined
  mayImport: boolean
  onShow(show: ImportsSearch['show']): void
  onNew(kind: 'huggingface' | 'upload'): void
}

/** The imports of a project, what moves first, and the ways to begin one. */
export function ImportsList({ imports, shown, show, current, mayImport, onShow, onNew }: ImportsListProps) {
  const isLive = useIsLive()
  const jobs = imports.data?.items ?? []
  const count = (kind: NonNullable<ImportsSearch['show']>) => jobs.filter((job) => isOfKind(job, kind)).length
  return (
    <section className="imports-list" aria-label="Imports">
      <div className="imports-head">
        <h1>Imports</h1>
        {mayImport && (
          <span className="end">
            <Button look="primary" icon="plus" shortcut="N" onClick={() => onNew('huggingface')}>
              New import
            </Button>
          </span>
        )}
      </div>
      <div className="imports-filter">
        <Segmented
          label="Show"
          small
          value={show ?? 'all'}
          onChange={(next) => onShow(next === 'all' ? undefined : next)}
          options={[
            { value: 'all', label: `All ${jobs.length}` },
            { value: 'running', label: `Running ${count('running')}` },
            { value: 'failed', label: `Failed ${count('failed')}` },
            { value: 'done', label: `Done ${count('done')}` },
          ]}
        />
        <span className="end small mid">
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
        <div className="pad-x-16">
          <Skeleton rows={5} height={64} />
        </div>
      )}
      {imports.data && jobs.length === 0 && <NoImports mayImport={mayImport} onNew={onNew} />}
      {shown.length > 0 && (
        <ul>
          {shown.map((job) => (
            <ImportItem key={job.id} job={job} isCurrent={job.id === current} mayImport={mayImport} />
          ))}
        </ul>
      )}
      {mayImport && !imports.isPending && (
        <button type="button" className="drop-place above-16" onClick={() => onNew('upload')}>
          <Icon name="download" />
          <span>
            <b>Drop HDF5 files or a LeRobot folder here</b> or paste a Hugging Face repository
          </span>
        </button>
      )}
    </section>
  )
}

const NoImports = ({ mayImport, onNew }: Pick<ImportsListProps, 'mayImport' | 'onNew'>) => (
  <div className="pad-x-16">
    <Empty
      title="No imports yet"
      actions={
        mayImport && (
          <>
            <Button look="primary" icon="plus" onClick={() => onNew('huggingface')}>
              New import
            </Button>
            <Button onClick={() => onNew('upload')}>Upload files</Button>
          </>
        )
      }
    >
      Import demonstrations: a Hugging Face repository, HDF5 files or a LeRobot folder. The source is never changed.
    </Empty>
  </div>
)

const isOfKind = (job: ImportJob, kind: NonNullable<ImportsSearch['show']>): boolean =>
  kind === 'running'
    ? isMoving(job)
    : kind === 'failed'
      ? job.status === 'failed' && job.dismissed_at === null
      : !isMoving(job) && (job.status !== 'failed' || job.dismissed_at !== null)

/** Those that the filter leaves: moving ones first, then failed ones of today, then the rest by time. */
export function listShown(jobs: readonly ImportJob[], show: ImportsSearch['show']): ImportJob[] {
  const recently = Date.now() - 24 * 3_600_000
  const rank = (job: ImportJob) =>
    isMoving(job) ? 0 : isOfKind(job, 'failed') && Date.parse(job.updated_at) > recently ? 1 : 2
  return jobs
    .filter((job) => show === undefined || isOfKind(job, show))
    .sort((one, other) => rank(one) - rank(other) || Date.parse(other.created_at) - Date.parse(one.created_at))
}
