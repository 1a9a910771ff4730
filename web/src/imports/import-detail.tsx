import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { importQuery, isMoving, reportQuery } from '../data/imports.ts'
import { formatBytes } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { canEdit, useWorkspace } from '../session/workspace.ts'
import { CancelImport } from './cancel-import.tsx'
import { CopyAgain } from './copy-again.tsx'
import { Hdf5Tree } from './hdf5-tree.tsx'
import { ImportEpisodes } from './import-episodes.tsx'
import { describeSource } from './import-item.tsx'
import { ImportPreviews } from './import-previews.tsx'
import { ImportReportView } from './import-report.tsx'
import { nameStatus, PhaseRail, phaseNames } from './phases.tsx'
import { Remedy } from './remedy.tsx'
import { SignalSparks } from './signal-sparks.tsx'
import './import-detail.css'

const routeApi = getRouteApi('/signed-in/orgs/$org/projects/$project/imports/$jobId')

export function ImportDetail() {
  const { org, project, jobId } = routeApi.useParams()
  const job = useQuery(importQuery(org, project, jobId))
  const [node, setNode] = useState<string>()
  const hasReport = useReported(job.data)
  const workspace = useWorkspace()
  if (!job.data)
    return (
      <div className="page">
        {job.error ? <Failure error={job.error} what="The import did not load" /> : <Skeleton />}
      </div>
    )
  const hdf5 = job.data.hdf5 ?? undefined
  const mayImport = canEdit(workspace?.role)
  return (
    <>
      <Head job={job.data} mayImport={mayImport} />
      {job.data.status === 'failed' && (
        <div className="import-remedy">
          <Remedy key={job.data.id} job={job.data} mayImport={mayImport} />
        </div>
      )}
      <div className="import-body">
        <div className="import-report">
          <ImportReportView job={job.data} />
        </div>
        {hdf5 && (
          <div className="import-tree">
            <Hdf5Tree key={job.data.id} summary={hdf5} selected={node} onSelect={setNode} />
          </div>
        )}
      </div>
      {hasReport && (
        <>
          <ImportPreviews job={job.data} node={node} />
          <ImportEpisodes job={job.data} />
          {/* Its height is known last, so it comes last. */}
          {job.data.status === 'succeeded' && job.data.dataset_id && <SignalSparks datasetId={job.data.dataset_id} />}
        </>
      )}
    </>
  )
}

/** Whether all that the report has to say is there: what stands below it comes then, and does not jump. */
function useReported(job: ImportJob | undefined): boolean {
  const isWritten = job !== undefined && !isMoving(job) && job.report_object_path !== null
  const report = useQuery({
    ...reportQuery(job?.org_slug ?? '', job?.project_slug ?? '', job?.id ?? ''),
    enabled: isWritten,
  })
  return !isWritten || !report.isPending
}

function Head({ job, mayImport }: { job: ImportJob; mayImport: boolean }) {
  const { org_slug: org, project_slug: project } = job
  const tone = job.losses
    ? 'chip loss'
    : job.status === 'succeeded'
      ? 'chip good'
      : job.status === 'failed'
        ? 'chip flag'
        : 'chip'
  const seconds = job.started_at ? (Date.parse(job.updated_at) - Date.parse(job.started_at)) / 1000 : undefined
  return (
    <header className="import-head">
      <div className="row wrap">
        <Link className="button small phone-only" to="/orgs/$org/projects/$project/imports" params={{ org, project }}>
          <Icon name="left" small />
          All
        </Link>
        <h2 className="title">{job.title}</h2>
        <span className={tone} data-testid="import-status">
          {job.status === 'succeeded' && <Icon name={job.losses ? 'loss' : 'check'} />}
          {nameStatus(job)}
        </span>
        <span className="end row import-commands">
          {mayImport && isMoving(job) && <CancelImport job={job} />}
          {mayImport && !isMoving(job) && job.status !== 'failed' && job.copied_from && <CopyAgain job={job} />}
          {mayImport && !isMoving(job) && job.status !== 'failed' && !job.copied_from && (
            <Link
              className="button"
              to="/orgs/$org/projects/$project/imports/$jobId"
              params={{ org, project, jobId: job.id }}
              search={(old: object) => ({ ...old, new: nameSource(job), again: job.id })}
            >
              Import again
            </Link>
          )}
          {job.dataset_id && job.status === 'succeeded' && (
            <Link className="button primary" to="/datasets/$datasetId" params={{ datasetId: job.dataset_id }}>
              Open dataset
            </Link>
          )}
        </span>
      </div>
      <div className="row small mid wrap above-4 gap-x-16">
        <span className="mono">{job.id}</span>
        {job.copied_from ? (
          <Link className="link" to="/datasets/$datasetId" params={{ datasetId: job.copied_from.version_id }}>
            {describeSource(job)}
          </Link>
        ) : (
          <span className="mono">{describeSource(job)}</span>
        )}
        {job.total_bytes !== null && <span>{formatBytes(job.total_bytes)}</span>}
        <span>
          started <Time at={job.created_at} />
        </span>
        {seconds !== undefined && !isMoving(job) && (
          <span>
            {seconds.toFixed(1)} s{job.status === 'succeeded' && ' in 8 phases'}
          </span>
        )}
        {isMoving(job) && <span>{job.progress_message}</span>}
      </div>
      <div className="phase-labels" aria-hidden="true">
        {phaseNames.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <PhaseRail job={job} />
    </header>
  )
}

/** The page of the form that its source belongs to. */
const nameSource = (job: ImportJob): 'huggingface' | 'url' | 'upload' =>
  job.hf_repo_id ? 'huggingface' : job.source_uri ? 'url' : 'upload'
