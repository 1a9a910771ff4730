import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { type FinishedUpload, uploadFile } from '@nmp/sdk/upload'
import { useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../parts/controls.tsx'
import { guessKind, readDrop, readPicked, type UploadFile } from '../parts/dropped-files.ts'
import { formatBytes, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { client } from '../session/client.ts'
import type { SourceReady } from './source-ready.ts'
import { listUnfinished, nameUpload, uploadMemory } from './upload-memory.ts'
import './drop-place.css'
import './upload-source.css'

interface UploadSourceProps {
  org: string
  project: string
  given: UploadFile[]
  /** An import whose files are used unless others are chosen. */
  again: ImportJob | undefined
  onReady(source: SourceReady | undefined): void
  onName(name: string): void
}

interface Progress {
  sent: number
  done: boolean
  fault?: string
}

const atOnce = 3

/** Sends by tus while the form is filled in; a broken or closed page goes on where it stopped. */
export function UploadSource({ org, project, given, again, onReady, onName }: UploadSourceProps) {
  const [files, setFiles] = useState<UploadFile[]>(given)
  const [progress, setProgress] = useState<Record<string, Progress>>({})
  const picker = useRef<HTMLInputElement>(null)
  const folderPicker = useRef<HTMLInputElement>(null)
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list or a new try begins the sending; callbacks mean the same
  useEffect(() => {
    if (files.length === 0) {
      const kind = again?.source_kind
      return onReady(again && kind && kind !== 'version' ? { source_kind: kind, retryOf: again } : undefined)
    }
    const stop = new AbortController()
    const first = files[0]?.path ?? ''
    onName((first.includes('/') ? first.split('/')[0] : first.replace(/\.\w+$/, '')) ?? '')
    onReady(undefined)
    const finished: FinishedUpload[] = []
    const note = (path: string, change: Partial<Progress>) =>
      setProgress((old) => ({ ...old, [path]: { ...(old[path] ?? { sent: 0, done: false }), ...change } }))
    const waiting = [...files]
    const work = async () => {
      for (let next = waiting.shift(); next && !stop.signal.aborted; next = waiting.shift()) {
        const { path, file } = next
        try {
          finished.push(
            await uploadFile(client.transport, file, {
              filename: path,
              orgSlug: org,
              projectSlug: project,
              signal: stop.signal,
              memory: uploadMemory,
              memoryKey: nameUpload(org, project, path, file),
              onProgress: (sent) => note(path, { sent }),
            }),
          )
          note(path, { sent: file.size, done: true })
        } catch (error) {
          if (stop.signal.aborted) return
          note(path, { fault: error instanceof Error ? error.message : String(error) })
        }
      }
    }
    void Promise.all(Array.from({ length: atOnce }, work)).then(() => {
      if (!stop.signal.aborted && finished.length === files.length)
        onReady({
          source_kind: guessKind(files),
          upload_ids: finished.map(({ id }) => id),
          memoryKeys: finished.flatMap(({ memoryKey }) => memoryKey ?? []),
        })
    })
    return () => stop.abort()
  }, [files, round])
  const total = files.reduce((sum, { file }) => sum + file.size, 0)
  const sent = files.reduce((sum, { path }) => sum + (progress[path]?.sent ?? 0), 0)
  const faults = files.filter(({ path }) => progress[path]?.fault)
  const isDone = files.length > 0 && files.every(({ path }) => progress[path]?.done)
  return (
    <div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the two buttons in it do the same */}
      <div
        className="drop-place inside"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          event.stopPropagation()
          void readDrop(event.dataTransfer).then(setFiles)
        }}
      >
        <Icon name="upload" />
        <span className="fill">
          <b>Drop HDF5 files, a LeRobot folder or an archive of one</b>
        </span>
        <Button small onClick={() => picker.current?.click()}>
          Choose files
        </Button>
        <Button small onClick={() => folderPicker.current?.click()}>
          Choose a folder
        </Button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={(event) => event.target.files && setFiles(readPicked(event.target.files))}
        />
        <input
          ref={folderPicker}
          type="file"
          hidden
          aria-label="Folder to upload"
          {...{ webkitdirectory: '' }}
          onChange={(event) => event.target.files && setFiles(readPicked(event.target.files))}
        />
      </div>
      {files.length === 0 &&
        (again ? <SameFiles sizeBytes={again.total_bytes} /> : <Unfinished org={org} project={project} />)}
      {files.length > 0 && (
        <div className="above-12" aria-live="polite">
          <div className="row small">
            <b>{isDone ? <span className="text-good">Uploaded</span> : `Uploading ${plural(files.length, 'file')}`}</b>
            <span className="mid">
              {formatBytes(sent)} of {formatBytes(total)}, resumable
            </span>
          </div>
          <div className="rail above-4">
            <i className={isDone ? 'good' : 'ink'} style={{ width: `${total ? (sent / total) * 100 : 0}%` }} />
          </div>
          <div className="above-8 max-height-170 scroll">
            {files.slice(0, 200).map(({ path, file }) => (
              <div className="new-file small" key={path}>
                <span className="mono clip" title={path}>
                  {path}
                </span>
                <span className="align-right dim">{formatBytes(file.size)}</span>
                <span className="rail">
                  <i
                    className={progress[path]?.fault ? 'flag' : 'done'}
                    style={{ width: `${file.size ? ((progress[path]?.sent ?? 0) / file.size) * 100 : 100}%` }}
                  />
                </span>
                <span className="text-good">{progress[path]?.done && <Icon name="check" small />}</span>
                <IconButton
                  icon="close"
                  label={`Leave ${path} out`}
                  look="ghost"
                  small
                  onClick={() => {
                    void uploadMemory.delete(nameUpload(org, project, path, file))
                    setFiles(files.filter((one) => one.path !== path))
                  }}
                />
              </div>
            ))}
            {files.length > 200 && <p className="dim small">and {files.length - 200} more</p>}
          </div>
          {faults.length > 0 && (
            <div className="callout above-8" role="alert">
              <p>
                <b>
                  {faults[0]?.path}: {progress[faults[0]?.path ?? '']?.fault}
                </b>
              </p>
              <Button small className="above-4" icon="again" onClick={() => setRound((n) => n + 1)}>
                Go on
              </Button>
            </div>
          )}
        </div>
      )}
    </div>
  )
}

const SameFiles = ({ sizeBytes }: { sizeBytes: number | null }) => (
  <div className="callout calm above-12">
    <p>
      <b>The files of the import before{sizeBytes !== null && `, ${formatBytes(sizeBytes)}`}</b>
    </p>
    <p className="mid">They are still here and will not be sent again. Choose other files to import those instead.</p>
  </div>
)

/** A browser may not open files by itself, but it knows what was on its way. */
function Unfinished({ org, project }: { org: string; project: string }) {
  const [unfinished, setUnfinished] = useState(() => listUnfinished(org, project))
  if (unfinished.length === 0) return null
  return (
    <div className="callout calm above-12">
      <p>
        <b>
          {plural(unfinished.length, 'file')} of an earlier upload {unfinished.length === 1 ? 'waits' : 'wait'}:
        </b>{' '}
        {unfinished
          .slice(0, 5)
          .map(({ path, sizeBytes }) => `${path} (${formatBytes(sizeBytes)})`)
          .join(', ')}
        {unfinished.length > 5 && ` and ${unfinished.length - 5} more`}
      </p>
      <p className="mid">Choose the same files again: what has arrived is not sent again.</p>
      <Button
        small
        className="above-4"
        onClick={() => {
          for (const { key } of unfinished) void uploadMemory.delete(key)
          setUnfinished([])
        }}
      >
        Forget them
      </Button>
    </div>
  )
}
