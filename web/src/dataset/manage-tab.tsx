import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { type Manifest, useManifest } from '../data/dataset.ts'
import { changeDataset, deleteDataset, restoreRevision, revisionsQuery } from '../data/project.ts'
import { refresh } from '../data/refresh.ts'
import { Button } from '../parts/controls.tsx'
import { ConfirmLoss } from '../parts/dialog.tsx'
import { formatBytes, formatCount } from '../parts/formats.ts'
import { Time } from '../parts/time.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { visibilitySaid } from '../publishing/publish-dialog.tsx'
import { VisibilitySection } from '../publishing/visibility-section.tsx'
import { AboutForm } from './about-form.tsx'
import { CardForm } from './card-form.tsx'
import type { DatasetEdit } from './field-change.ts'
import { SignalRoles } from './insights/signal-roles.tsx'
import { RobotForm } from './robot-form.tsx'
import './dataset-frame.css'

const routeApi = getRouteApi('/datasets/$datasetId/manage')

/** Title, tags, publishing, revisions, deletion. */
export function ManageTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  return dataset ? <Manage dataset={dataset} /> : null
}

function Manage({ dataset }: { dataset: Manifest }) {
  const { org_slug: org, project_slug: project, slug } = dataset
  const revisions = useQuery(revisionsQuery(org, project, slug))
  const earlier = revisions.data?.items.filter(({ number }) => number !== dataset.revision_number) ?? []
  const hadHistory =
    dataset.visibility === 'public' && earlier.length > 0 && earlier.every(({ is_public }) => is_public)
  const change = async ({ body, said, undo }: DatasetEdit) => {
    await changeDataset(org, project, slug, body)
    await refresh.dataset(dataset.id)
    showToast(said, undo && (() => takeBack.mutate(undo)))
  }
  const takeBack = useChange((body: DatasetEdit['body']) => changeDataset(org, project, slug, body), {
    onDone: () => refresh.dataset(dataset.id),
  })
  return (
    <div className="tab-page">
      <div className="grid gap-32 max-width-640">
        <AboutForm dataset={dataset} onChange={change} />
        <CardForm dataset={dataset} onChange={change} />
        <RobotForm dataset={dataset} onChange={change} />
        <SignalsSection dataset={dataset} />
        <VisibilitySection
          dataset={dataset}
          earlierRevisions={earlier.length}
          onChange={(visibility, withHistory) =>
            change({
              body: { visibility, ...(withHistory ? { public_history: true } : {}) },
              said: visibilitySaid[visibility],
              undo: { visibility: dataset.visibility, ...(hadHistory ? { public_history: true } : {}) },
            })
          }
        />
        <Revisions dataset={dataset} />
        <DeleteDataset dataset={dataset} />
      </div>
    </div>
  )
}

/** Also on the Insights page, whose numbers go by it; here is where settings are looked for. */
function SignalsSection({ dataset }: { dataset: Manifest }) {
  const section = useRef<HTMLElement>(null)
  // What leads here comes before the page is there.
  useEffect(() => {
    if (location.hash === '#state-and-action') section.current?.scrollIntoView()
  }, [])
  return (
    <section id="state-and-action" ref={section}>
      <h2>State and action</h2>
      <p className="mid above-4">Which columns they are, where the dataset calls them otherwise.</p>
      <div className="above-8">
        <SignalRoles dataset={dataset} />
      </div>
    </section>
  )
}

function Revisions({ dataset }: { dataset: Manifest }) {
  const { org_slug: org, project_slug: project, slug } = dataset
  const revisions = useQuery(revisionsQuery(org, project, slug))
  const bringBack = useChange((number: number) => restoreRevision(org, project, slug, number), {
    onDone: () => refresh.dataset(dataset.id),
  })
  return (
    <section>
      <div className="row">
        <h2>Revisions</h2>
        <Link className="button end" to="/orgs/$org/compare" params={{ org }} search={{ from: dataset.id }}>
          Compare with…
        </Link>
      </div>
      <p className="mid above-4">
        Importing under the same name makes a new revision; older ones stay and can be brought back.
      </p>
      <table className="table above-4">
        <tbody>
          {revisions.data?.items.map((revision) => (
            <tr key={revision.number}>
              <td>
                <b>Revision {revision.number}</b>
                {revision.is_public && <span className="chip tiny"> public</span>}
              </td>
              <td className="mid">
                {revision.total_episodes !== undefined && `${formatCount(revision.total_episodes)} episodes`}
                {revision.size_bytes !== undefined && `, ${formatBytes(revision.size_bytes)}`}
              </td>
              <td className="mid">
                <Time at={revision.created_at} />
              </td>
              <td className="align-right">
                {revision.number === dataset.revision_number ? (
                  <span className="dim">shown</span>
                ) : (
                  <span className="row">
                    <Link
                      className="button small end"
                      to="/orgs/$org/compare"
                      params={{ org }}
                      search={{ from: revision.id, to: dataset.revision_id }}
                    >
                      Compare
                    </Link>
                    <Button small onClick={() => bringBack.mutate(revision.number)}>
                      Bring back
                    </Button>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function DeleteDataset({ dataset }: { dataset: Manifest }) {
  const { org_slug: org, project_slug: project, slug } = dataset
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <section>
      <h2>Delete</h2>
      <p className="mid above-4 below-8">
        It can be restored for 7 days; then its {formatBytes(dataset.size_bytes)} are freed. Versions made from it stay.
      </p>
      <Button look="danger" disabled={dataset.role !== 'admin'} onClick={() => setDeleting(true)}>
        Delete dataset
      </Button>
      <ConfirmLoss
        title={`Delete ${dataset.title}?`}
        word={slug}
        verb="Delete"
        open={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await deleteDataset(org, project, slug)
          void refresh.dataset(dataset.id)
          void navigate({ to: '/orgs/$org/projects/$project/datasets', params: { org, project } })
        }}
      >
        {formatBytes(dataset.size_bytes)} and {formatCount(dataset.metrics.total_episodes)} episodes. It leaves every
        list now and can be restored in Datasets for 7 days.
      </ConfirmLoss>
    </section>
  )
}
