import type { WorkspaceImportJob as ImportJob, ImportOptions } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { createImport, retryImport } from '../data/imports.ts'
import { Button, Field, Segmented } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { suggestSlug, type UploadFile } from '../parts/dropped-files.ts'
import { describe, findFault } from '../parts/faults.ts'
import { formatBytes } from '../parts/formats.ts'
import { SlugField } from '../parts/slug-field.tsx'
import { useChange } from '../parts/use-change.ts'
import { usageQuery } from '../session/usage.ts'
import { HubSource } from './hub-source.tsx'
import { ImportOptionsFields, noOptions, readOptions } from './import-options.tsx'
import type { SourceReady } from './source-ready.ts'
import { uploadMemory } from './upload-memory.ts'
import { UploadSource } from './upload-source.tsx'
import { UrlSource } from './url-source.tsx'

interface NewImportProps {
  org: string
  project: string
  kind: 'huggingface' | 'upload' | 'url'
  files: UploadFile[]
  repository: string
  /** The import that is done again: the form begins with what it was made of. */
  again: ImportJob | undefined
  slug: string | undefined
  title: string | undefined
  onKind(kind: 'huggingface' | 'upload' | 'url'): void
  onClose(): void
  onCreated(job: ImportJob): void
}

export function NewImport(props: NewImportProps) {
  const { org, project, kind, files, repository, again, onKind, onClose, onCreated } = props
  const usage = useQuery(usageQuery(org))
  const [source, setSource] = useState<SourceReady>()
  const [title, setTitle] = useState(props.title ?? again?.title ?? '')
  const [slug, setSlug] = useState(props.slug ?? again?.dataset_slug ?? '')
  const [options, setOptions] = useState(noOptions)
  const suggest = (name: string) => {
    setTitle((old) => old || name)
    setSlug((old) => old || suggestSlug(name))
  }
  const isFull = usage.data?.quota_bytes ? usage.data.storage_bytes >= usage.data.quota_bytes : false
  const isRepeat = source?.retryOf !== undefined
  const needsHints = source?.source_kind === 'hdf5'
  const creation = useChange(
    async (ready: SourceReady) => {
      const chosen = needsHints ? readOptions(options) : {}
      return ready.retryOf ? (await retryImport(ready.retryOf, chosen)).item : await send(ready, chosen)
    },
    { onDone: onCreated, showsFault: true },
  )
  const { error: fault, isPending: isBusy } = creation
  const send = async ({ memoryKeys = [], retryOf: _, ...rest }: SourceReady, chosen: ImportOptions) => {
    const { item } = await createImport(org, project, {
      ...rest,
      dataset_slug: slug,
      ...(title.trim() ? { title: title.trim() } : {}),
      ...(Object.keys(chosen).length > 0 ? { options: chosen } : {}),
    })
    for (const key of memoryKeys) void uploadMemory.delete(key)
    return item
  }
  return (
    <Dialog title={again ? 'Import again' : 'New import'} open onClose={onClose} wide>
      <Segmented
        label="From"
        value={kind}
        onChange={(next) => {
          setSource(undefined)
          onKind(next)
        }}
        options={[
          { value: 'huggingface', label: 'Hugging Face' },
          { value: 'upload', label: 'Upload' },
          { value: 'url', label: 'URL' },
        ]}
      />
      {isFull && usage.data?.quota_bytes && (
        <div className="callout above-12" role="alert">
          <p>
            <b>
              The storage of {org} is full: {formatBytes(usage.data.quota_bytes)} are used.
            </b>
          </p>
          <p className="mid">Delete a dataset or a version, or ask the operator for more.</p>
        </div>
      )}
      <div className="above-16">
        {kind === 'huggingface' && (
          <HubSource
            repository={again?.hf_repo_id ?? repository}
            commit={again?.hf_revision ?? ''}
            org={org}
            project={project}
            onReady={setSource}
            onName={suggest}
          />
        )}
        {kind === 'upload' && (
          <UploadSource
            org={org}
            project={project}
            given={files}
            again={again?.hf_repo_id || again?.source_uri ? undefined : again}
            onReady={setSource}
            onName={suggest}
          />
        )}
        {kind === 'url' && (
          <UrlSource
            address={again?.source_uri ?? ''}
            fault={findFault(fault, 'source_uri')}
            onReady={setSource}
            onName={suggest}
          />
        )}
      </div>
      <form
        className="above-16 grid gap-12 two-columns"
        onSubmit={(event) => {
          event.preventDefault()
          if (source) creation.mutate(source)
        }}
      >
        {!isRepeat && (
          <>
            <Field
              label="Title"
              showLabel
              value={title}
              maxLength={200}
              fault={findFault(fault, 'title')}
              onChange={(event) => setTitle(event.target.value)}
            />
            <SlugField value={slug} fault={findFault(fault, 'dataset_slug')} onChange={setSlug} />
          </>
        )}
        {needsHints && <ImportOptionsFields draft={options} isRepeat={isRepeat} fault={fault} onChange={setOptions} />}
        {fault && (
          <div className="callout both-columns" role="alert">
            <b>{describe(fault)}</b>
          </div>
        )}
        <div className="row both-columns">
          <Button type="submit" look="primary" disabled={!source || !slug || isBusy || isFull}>
            {isRepeat ? 'Import the same files' : 'Start import'}
          </Button>
          <span className="dim small">
            {again && slug === again.dataset_slug
              ? `A new revision of ${slug} in ${org} / ${project}; earlier revisions stay.`
              : `Into ${org} / ${project}, private until an admin publishes it. The source is never changed.`}
          </span>
        </div>
      </form>
    </Dialog>
  )
}
