import type { ProjectDataset } from '@nmp/sdk/generated/records'
import { useState } from 'react'
import { changeDataset, type DatasetChange, deleteDataset } from '../data/project.ts'
import { refresh } from '../data/refresh.ts'
import { Button, Field } from '../parts/controls.tsx'
import { ConfirmLoss, Dialog } from '../parts/dialog.tsx'
import { formatBytes, plural } from '../parts/formats.ts'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { PublishDialog } from '../publishing/publish-dialog.tsx'
import { useKeys } from '../session/keys.ts'
import './datasets-tray.css'

interface DatasetsTrayProps {
  datasets: readonly ProjectDataset[]
  role: 'admin' | 'editor' | 'viewer'
  onClear(): void
}

type Change = readonly { dataset: ProjectDataset; body: DatasetChange }[]

/** What may be done to several datasets at once. */
export function DatasetsTray({ datasets, role, onClear }: DatasetsTrayProps) {
  const [open, setOpen] = useState<'tag' | 'publish' | 'delete'>()
  useKeys({ Escape: onClear }, open === undefined)
  const names = plural(datasets.length, 'dataset')
  const close = () => setOpen(undefined)
  const takeBack = useChange((change: Change) => send(change), { onDone: refreshAll })
  const apply = async (said: string, change: Change) => {
    await send(change)
    await refreshAll()
    onClear()
    const before = change.map(({ dataset, body }) => ({ dataset, body: takeBefore(dataset, body) }))
    showToast(said, () => takeBack.mutate(before))
  }
  const withdrawal = useChange(() =>
    apply(
      `${plural(shown.length, 'dataset')} made private`,
      shown.map((dataset) => ({ dataset, body: { visibility: 'private' } })),
    ),
  )
  const shown = datasets.filter(({ visibility }) => visibility === 'public')
  const hidden = datasets.filter(({ visibility }) => visibility === 'private')
  const bytes = datasets.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  return (
    <section className="tray over-tabs" aria-label="Selection">
      <span className="tray-count">{names} selected</span>
      <span className="mid desktop-only">{formatBytes(bytes)}</span>
      <span className="end row">
        <Button look="ghost" shortcut="Esc" onClick={onClear}>
          Clear
        </Button>
        <Button onClick={() => setOpen('tag')}>Add a tag</Button>
        {role === 'admin' && (
          <>
            {hidden.length > 0 && <Button onClick={() => setOpen('publish')}>Publish</Button>}
            {shown.length > 0 && (
              <Button disabled={withdrawal.isPending} onClick={() => withdrawal.mutate()}>
                Make private
              </Button>
            )}
            <Button look="danger" onClick={() => setOpen('delete')}>
              Delete
            </Button>
          </>
        )}
      </span>
      {open === 'tag' && (
        <TagDialog
          names={names}
          onClose={close}
          onTag={(tag) =>
            apply(
              `${names} tagged ${tag}`,
              datasets
                .filter(({ tags }) => !tags.includes(tag))
                .map((dataset) => ({ dataset, body: { tags: [...dataset.tags, tag] } })),
            )
          }
        />
      )}
      {open === 'publish' && (
        <PublishDialog
          title={plural(hidden.length, 'dataset')}
          onClose={close}
          onPublish={() =>
            apply(
              `${plural(hidden.length, 'dataset')} published in the catalog`,
              hidden.map((dataset) => ({ dataset, body: { visibility: 'public' } })),
            )
          }
        />
      )}
      <ConfirmLoss
        title={`Delete ${names}?`}
        word={datasets.length === 1 ? (datasets[0]?.slug ?? '') : `delete ${datasets.length}`}
        verb="Delete"
        open={open === 'delete'}
        onClose={close}
        onConfirm={async () => {
          for (const { org_slug, project_slug, slug } of datasets) await deleteDataset(org_slug, project_slug, slug)
          await refreshAll()
          onClear()
        }}
      >
        {formatBytes(bytes)}: {listNames(datasets)}. They leave every list now and can be restored here for 7 days.
      </ConfirmLoss>
    </section>
  )
}

async function send(change: Change): Promise<void> {
  for (const { dataset, body } of change)
    await changeDataset(dataset.org_slug, dataset.project_slug, dataset.slug, body)
}

const refreshAll = () => refresh.datasets()

/** What the fields of a change were. */
const takeBefore = (dataset: ProjectDataset, body: DatasetChange): DatasetChange => ({
  ...('tags' in body ? { tags: dataset.edited_fields.includes('tags') ? dataset.tags : null } : {}),
  ...('visibility' in body ? { visibility: dataset.visibility } : {}),
})

function listNames(datasets: readonly ProjectDataset[]): string {
  const titles = datasets.slice(0, 5).map(({ title }) => title)
  const more = datasets.length - titles.length
  return more > 0 ? `${titles.join(', ')} and ${more} more` : titles.join(', ')
}

interface TagDialogProps {
  names: string
  onTag(tag: string): Promise<unknown>
  onClose(): void
}

function TagDialog({ names, onTag, onClose }: TagDialogProps) {
  const [tag, setTag] = useState('')
  const tagging = useChange(() => onTag(tag.trim()), { onDone: onClose, showsFault: true })
  return (
    <Dialog title={`Tag ${names}`} open onClose={onClose}>
      <form
        className="row items-start"
        onSubmit={(event) => {
          event.preventDefault()
          if (tag.trim() !== '') tagging.mutate()
        }}
      >
        <Field
          label="Tag"
          placeholder="for example: kitchen"
          className="fill"
          value={tag}
          onChange={(event) => setTag(event.target.value)}
          fault={tagging.error?.message}
          autoFocus
        />
        <Button type="submit" look="primary" disabled={tag.trim() === '' || tagging.isPending}>
          Add
        </Button>
      </form>
    </Dialog>
  )
}
