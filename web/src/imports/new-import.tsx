import type { CreateImport, ImportJob } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usageQuery } from '../app/usage.ts'
import { Button, Field, Segmented } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { findFault } from '../parts/faults.ts'
import { formatBytes } from '../parts/formats.ts'
import { describe } from '../parts/states.tsx'
import { suggestSlug, type UploadFile } from './dropped-files.ts'
import { HubSource } from './hub-source.tsx'
import { createImport } from './queries.ts'
import { uploadMemory } from './upload-memory.ts'
import { UploadSource } from './upload-source.tsx'

interface NewImportProps {
  org: string
  project: string
  kind: 'huggingface' | 'upload' | 'url'
  files: UploadFile[]
  repository: string
  /** What the form begins with, for an import that is done again. */
  slug: string | undefined
  title: string | undefined
  onKind(kind: 'huggingface' | 'upload' | 'url'): void
  onClose(): void
  onCreated(job: ImportJob): void
}

/** What a source hands over once it is ready to be imported. */
export type SourceReady = Pick<CreateImport, 'source_kind'> &
  Partial<Pick<CreateImport, 'hf_repo_id' | 'hf_revision' | 'hf_token' | 'source_uri' | 'upload_ids'>> & {
    /** Of uploads: what this browser remembers of them until the import has them. */
    memoryKeys?: string[]
  }

export function NewImport(props: NewImportProps) {
  const { org, project, kind, files, repository, onKind, onClose, onCreated } = props
  const usage = useQuery(usageQuery(org))
  const [source, setSource] = useState<SourceReady>()
  const [title, setTitle] = useState(props.title ?? '')
  const [slug, setSlug] = useState(props.slug ?? '')
  const [task, setTask] = useState('')
  const [fps, setFps] = useState('')
  const [url, setUrl] = useState('')
  const [urlKind, setUrlKind] = useState<'hdf5' | 'lerobot'>('hdf5')
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<unknown>()
  const suggest = (name: string) => {
    setTitle((old) => old || name)
    setSlug((old) => old || suggestSlug(name))
  }
  const ready: SourceReady | undefined =
    kind === 'url'
      ? /^https?:\/\/\S+\.\S+/.test(url)
        ? { source_kind: urlKind, source_uri: url.trim() }
        : undefined
      : source
  const isFull = usage.data?.quota_bytes ? usage.data.storage_bytes >= usage.data.quota_bytes : false
  const needsHints = ready?.source_kind === 'hdf5'
  const create = async () => {
    if (!ready) return
    setBusy(true)
    setFault(undefined)
    try {
      const options = {
        ...(needsHints && task.trim() ? { task: task.trim() } : {}),
        ...(needsHints && Number(fps) > 0 ? { fps: Number(fps) } : {}),
      }
      const { memoryKeys = [], ...source } = ready
      const { item } = await createImport(org, project, {
        ...source,
        dataset_slug: slug,
        ...(title.trim() ? { title: title.trim() } : {}),
        ...(Object.keys(options).length > 0 ? { options } : {}),
      })
      for (const key of memoryKeys) void uploadMemory.delete(key)
      onCreated(item)
    } catch (error) {
      setFault(error)
      setBusy(false)
    }
  }
  return (
    <Dialog title="New import" open onClose={onClose} wide>
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
        <div className="say mt-3" role="alert">
          <p>
            <b>
              The storage of {org} is full: {formatBytes(usage.data.quota_bytes)} are used.
            </b>
          </p>
          <p className="mid">Delete a dataset or a version, or ask the operator for more.</p>
        </div>
      )}
      <div className="mt-4">
        {kind === 'huggingface' && (
          <HubSource repository={repository} org={org} project={project} onReady={setSource} onName={suggest} />
        )}
        {kind === 'upload' && (
          <UploadSource org={org} project={project} given={files} onReady={setSource} onName={suggest} />
        )}
        {kind === 'url' && (
          <div className="row items-end">
            <Field
              label="Address of an HDF5 file or an archive"
              showLabel
              className="fill"
              type="url"
              placeholder="https://data.example.org/run_0042.hdf5"
              value={url}
              fault={findFault(fault, 'source_uri')}
              onChange={(event) => {
                setUrl(event.target.value)
                const name = event.target.value.split('?')[0]?.split('/').at(-1) ?? ''
                setUrlKind(/\.(hdf5|h5|hdf)$/i.test(name) ? 'hdf5' : 'lerobot')
              }}
              onBlur={() =>
                suggest(
                  url
                    .split('?')[0]
                    ?.split('/')
                    .at(-1)
                    ?.replace(/\.\w+$/, '') ?? '',
                )
              }
            />
            <Segmented
              label="It is"
              value={urlKind}
              onChange={(next: 'hdf5' | 'lerobot') => setUrlKind(next)}
              options={[
                { value: 'hdf5', label: 'HDF5' },
                { value: 'lerobot', label: 'LeRobot' },
              ]}
            />
          </div>
        )}
      </div>
      <form
        className="mt-4 grid gap-3 desk:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <Field
          label="Title"
          showLabel
          value={title}
          maxLength={200}
          fault={findFault(fault, 'title')}
          onChange={(event) => setTitle(event.target.value)}
        />
        <Field
          label="Short name (an existing one gets a new revision)"
          showLabel
          value={slug}
          maxLength={100}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          onChange={(event) => setSlug(event.target.value)}
          fault={
            slug && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)
              ? 'Small letters, digits and single hyphens.'
              : findFault(fault, 'dataset_slug')
          }
        />
        {needsHints && (
          <>
            <Field
              label="Task text, where the file has none"
              showLabel
              value={task}
              fault={findFault(fault, 'options', 'task')}
              onChange={(event) => setTask(event.target.value)}
            />
            <Field
              label="Frames per second, where the file does not say"
              showLabel
              type="number"
              min={1}
              max={1000}
              value={fps}
              fault={findFault(fault, 'options', 'fps')}
              onChange={(event) => setFps(event.target.value)}
            />
          </>
        )}
        {fault !== undefined && (
          <div className="say desk:col-span-2" role="alert">
            <b>{describe(fault)}</b>
          </div>
        )}
        <div className="row desk:col-span-2">
          <Button type="submit" look="primary" disabled={!ready || !slug || isBusy || isFull}>
            Start import
          </Button>
          <span className="dim sm">
            Into {org} / {project}, private until an admin publishes it. The source is never changed.
          </span>
        </div>
      </form>
    </Dialog>
  )
}
