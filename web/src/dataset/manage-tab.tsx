import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useManifest } from '../data/dataset.ts'
import { changeDataset, type DatasetChange, deleteDataset, restoreRevision, revisionsQuery } from '../data/project.ts'
import { Button, Field } from '../parts/controls.tsx'
import { ConfirmLoss } from '../parts/dialog.tsx'
import { formatBytes, formatCount } from '../parts/formats.ts'
import { Time } from '../parts/time.tsx'
import { showFault, showToast } from '../parts/toasts.tsx'
import { visibilitySaid } from '../publishing/publish-dialog.tsx'
import { VisibilitySection } from '../publishing/visibility-section.tsx'
import { CardForm } from './card-form.tsx'
import { planChange, splitList } from './field-change.ts'
import { RobotForm } from './robot-form.tsx'

const routeApi = getRouteApi('/datasets/$datasetId/manage')

/** Title, tags, publishing, revisions, deletion. */
export function ManageTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  const navigate = useNavigate()
  const cache = useQueryClient()
  const [title, setTitle] = useState<string>()
  const [tags, setTags] = useState<string>()
  const [description, setDescription] = useState<string>()
  const [isDeleting, setDeleting] = useState(false)
  const place = dataset ? ([dataset.org_slug, dataset.project_slug, dataset.slug] as const) : undefined
  const revisions = useQuery({
    ...revisionsQuery(place?.[0] ?? '', place?.[1] ?? '', place?.[2] ?? ''),
    enabled: place !== undefined,
  })
  if (!dataset || !place) return null
  const refresh = () => {
    void cache.invalidateQueries({ queryKey: ['project-datasets'] })
    void cache.invalidateQueries({ queryKey: ['catalog'] })
    void cache.invalidateQueries({ queryKey: ['revisions'] })
    return cache.invalidateQueries({ queryKey: ['dataset', datasetId] })
  }
  const change = async (body: DatasetChange, said: string, undo?: DatasetChange) => {
    await changeDataset(...place, body)
    await refresh()
    const takeBack = (back: DatasetChange) =>
      void changeDataset(...place, back).then(refresh, (error: Error) => showFault(error.message))
    showToast(said, undo && (() => takeBack(undo)))
  }
  return (
    <div className="tab-page">
      <div className="grid gap-8" style={{ maxWidth: 640 }}>
        <form
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            const plan = planChange(dataset, {
              ...(title === undefined ? {} : { title }),
              ...(description === undefined ? {} : { description }),
              ...(tags === undefined ? {} : { tags: splitList(tags) }),
            })
            change(plan.change, 'Saved', plan.undo).catch((error: Error) => showFault(error.message))
          }}
        >
          <h2>About</h2>
          <Field
            label="Title"
            showLabel
            value={title ?? dataset.title}
            onChange={(event) => setTitle(event.target.value)}
          />
          <label className="block">
            <span className="label">Description</span>
            <span className="field area">
              <textarea
                rows={3}
                value={description ?? dataset.description}
                onChange={(event) => setDescription(event.target.value)}
              />
            </span>
          </label>
          <Field
            label="Tags, by comma"
            showLabel
            value={tags ?? dataset.tags.join(', ')}
            onChange={(event) => setTags(event.target.value)}
          />
          <div>
            <Button type="submit">Save</Button>
          </div>
        </form>
        <CardForm dataset={dataset} onChange={change} />
        <RobotForm dataset={dataset} onChange={change} />
        <VisibilitySection
          dataset={dataset}
          onChange={(visibility) =>
            change({ visibility }, visibilitySaid[visibility], { visibility: dataset.visibility })
          }
        />
        <section>
          <h2>Revisions</h2>
          <p className="mid mt-1">
            Importing under the same name makes a new revision; older ones stay and can be brought back.
          </p>
          <table className="t mt-1">
            <tbody>
              {revisions.data?.items.map((revision) => (
                <tr key={revision.number}>
                  <td>
                    <b>Revision {revision.number}</b>
                  </td>
                  <td className="mid">
                    {revision.total_episodes !== undefined && `${formatCount(revision.total_episodes)} episodes`}
                    {revision.size_bytes !== undefined && `, ${formatBytes(revision.size_bytes)}`}
                  </td>
                  <td className="mid">
                    <Time at={revision.created_at} />
                  </td>
                  <td className="r">
                    {revision.number === dataset.revision_number ? (
                      <span className="dim">shown</span>
                    ) : (
                      <Button
                        small
                        onClick={() =>
                          void restoreRevision(...place, revision.number).then(refresh, (error: Error) =>
                            showFault(error.message),
                          )
                        }
                      >
                        Bring back
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <section>
          <h2>Delete</h2>
          <p className="mid mt-1 mb-2">
            It can be restored for 7 days; then its {formatBytes(dataset.size_bytes)} are freed. Versions made from it
            stay.
          </p>
          <Button look="danger" disabled={dataset.role !== 'admin'} onClick={() => setDeleting(true)}>
            Delete dataset
          </Button>
        </section>
      </div>
      <ConfirmLoss
        title={`Delete ${dataset.title}?`}
        word={dataset.slug}
        verb="Delete"
        open={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await deleteDataset(...place)
          void refresh()
          void navigate({
            to: '/orgs/$org/projects/$project/datasets',
            params: { org: dataset.org_slug, project: dataset.project_slug },
          })
        }}
      >
        {formatBytes(dataset.size_bytes)} and {formatCount(dataset.metrics.total_episodes)} episodes. It leaves every
        list now and can be restored in Datasets for 7 days.
      </ConfirmLoss>
    </div>
  )
}
