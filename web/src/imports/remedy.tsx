import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { dismissImport } from '../data/imports.ts'
import { refresh } from '../data/refresh.ts'
import { Button, Field } from '../parts/controls.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import './import-item.css'

interface RemedyProps {
  job: ImportJob
  mayImport: boolean
  /** The link to the report, where this is not the report. */
  isInList?: boolean
}

const isUpload = ({ hf_repo_id, source_uri, copied_from }: ImportJob): boolean =>
  hf_repo_id === null && source_uri === null && copied_from === null

/** A failed import: what happened, what to do about it, and that as a button. */
export function Remedy({ job, mayImport, isInList = false }: RemedyProps) {
  const navigate = useNavigate()
  const [token, setToken] = useState('')
  const { org_slug: org, project_slug: project } = job
  const needsToken = job.error_code === 'source_forbidden' && job.hf_repo_id !== null
  const retry = useChange(
    () =>
      client.imports.retryImport({
        org_slug: org,
        project_slug: project,
        job_id: job.id,
        body: token.trim() ? { hf_token: token.trim() } : {},
      }),
    {
      onDone: ({ item }) =>
        void navigate({
          to: '/orgs/$org/projects/$project/imports/$jobId',
          params: { org, project, jobId: item.id },
        }),
    },
  )
  const dismissal = useChange((dismissed: boolean) => dismissImport(job, dismissed), {
    onDone: (_, dismissed) => {
      void refresh.imports(org, project)
      void refresh.import(job.id)
      if (dismissed) showToast(`The failed import of ${job.title} is dismissed`, () => dismissal.mutate(false))
    },
  })
  if (job.dismissed_at !== null)
    return (
      <p className="mid row wrap above-link">
        {job.error_message}
        {mayImport && (
          <button type="button" className="link" onClick={() => dismissal.mutate(false)}>
            Take the dismissal back
          </button>
        )}
      </p>
    )
  return (
    <div className="callout above-link" role={isInList ? undefined : 'alert'} data-testid="remedy">
      <p className="break-anywhere">
        <b>{job.error_message ?? 'It stopped without giving a reason.'}</b>
      </p>
      <p className="mid">{adviseOn(job)} Nothing was changed in the project.</p>
      {mayImport && needsToken && (
        <Field
          label="Hugging Face token with access to the repository"
          showLabel
          type="password"
          autoComplete="off"
          className="above-8 max-width-340"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
      )}
      <div className="row above-8 wrap">
        {mayImport && isUpload(job) && (
          <Link
            className="button small primary"
            to="/orgs/$org/projects/$project/imports"
            params={{ org, project }}
            search={{ new: 'upload', slug: job.dataset_slug, title: job.title }}
          >
            Upload again
          </Link>
        )}
        {mayImport && (
          <Button
            small
            look={isUpload(job) ? 'default' : 'primary'}
            icon="again"
            disabled={retry.isPending || (needsToken && token.trim() === '')}
            onClick={() => retry.mutate()}
          >
            {needsToken ? 'Try again with this token' : isUpload(job) ? 'Try the same files again' : 'Try again'}
          </Button>
        )}
        {mayImport && (
          <Button small look="ghost" onClick={() => dismissal.mutate(true)}>
            Dismiss
          </Button>
        )}
        {isInList && (
          <Link
            className="button small"
            to="/orgs/$org/projects/$project/imports/$jobId"
            params={{ org, project, jobId: job.id }}
          >
            Read the report
          </Link>
        )}
        {job.error_code === 'quota_exceeded' && (
          <Link className="button small" to="/orgs/$org/storage" params={{ org }}>
            See the storage
          </Link>
        )}
      </div>
    </div>
  )
}

function adviseOn(job: ImportJob): string {
  if (job.copied_from && job.error_code !== 'quota_exceeded') return 'The version and its source are unchanged.'
  const what = job.hf_repo_id ? 'the repository' : isUpload(job) ? 'the files' : 'the address'
  switch (job.error_code) {
    case 'source_forbidden':
      return job.hf_repo_id
        ? 'The repository is private or gated: give a token of an account that may read it.'
        : 'The address requires a sign-in. Give one that does not, or upload the files.'
    case 'source_not_found':
      return `Check the spelling of ${what}; it may have moved or been made private.`
    case 'source_unavailable':
    case 'source_changed':
    case 'source_corrupt':
      return `The source was too slow or not available. Try again in a moment; files that were fetched completely are not fetched again.`
    case 'quota_exceeded':
      return 'Delete a dataset or a version that is no longer needed, or ask the operator for more.'
    case 'source_too_large':
    case 'archive_too_large':
      return 'Split it, or ask the operator to raise the limit.'
    case 'container_invalid':
    case 'no_episodes':
    case 'parser_deadline':
    case 'parser_cpu':
    case 'parser_memory':
    case 'source_file_crashes_parser':
      return '' // the sentence says it itself
    default:
      return isUpload(job)
        ? 'Compare the size of the files with the originals, correct them, then upload again.'
        : `Correct ${what} at its source, then try again.`
  }
}
