import type { ProjectDataset } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { projectDatasetsQuery, restoreDataset } from '../data/project.ts'
import { refresh } from '../data/refresh.ts'
import { Poster } from '../episode/poster.tsx'
import { Button } from '../parts/controls.tsx'
import { formatBytes, formatCount, formatShortDuration } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'
import { useChange } from '../parts/use-change.ts'
import { canEdit, useWorkspace } from '../session/workspace.ts'

const routeApi = getRouteApi('/signed-in/orgs/$org/projects/$project/datasets')

export function DatasetsPage() {
  const { org, project } = routeApi.useParams()
  const datasets = useQuery(projectDatasetsQuery(org, project))
  const workspace = useWorkspace()
  useEffect(() => {
    document.title = 'Datasets · nmp'
  }, [])
  const items = datasets.data?.items ?? []
  return (
    <div className="page">
      <div className="row below-12 wrap">
        <h1>Datasets</h1>
        <span className="dim">
          {org} / {project}
        </span>
        {canEdit(workspace?.role) && (
          <Link
            className="button primary end"
            to="/orgs/$org/projects/$project/imports"
            params={{ org, project }}
            search={{ new: 'huggingface' }}
          >
            <Icon name="plus" small />
            New import
          </Link>
        )}
      </div>
      {datasets.error && (
        <Failure error={datasets.error} what="The datasets did not load" onRetry={() => void datasets.refetch()} />
      )}
      {datasets.isPending && <Skeleton height={46} />}
      {datasets.data && items.length === 0 && (
        <Empty
          title="No dataset in this project yet"
          actions={
            <Link
              className="button primary"
              to="/orgs/$org/projects/$project/imports"
              params={{ org, project }}
              search={{ new: 'huggingface' }}
            >
              Import one
            </Link>
          }
        >
          Import demonstrations from Hugging Face, from HDF5 files or a LeRobot folder.
        </Empty>
      )}
      {items.length > 0 && <DatasetTable items={items} />}
    </div>
  )
}

const sourceNames: Record<string, string> = { huggingface: 'Hugging Face', hdf5: 'HDF5', lerobot: 'LeRobot' }

function DatasetTable({ items }: { items: readonly ProjectDataset[] }) {
  const restoration = useChange(
    ({ org_slug, project_slug, slug }: ProjectDataset) => restoreDataset(org_slug, project_slug, slug),
    { onDone: (_, { id }) => refresh.dataset(id) },
  )
  return (
    <TableScroll label="Datasets">
      <table className="table stack pictured">
        <thead>
          <tr>
            <th>Dataset</th>
            <th>Short name</th>
            <th>Seen by</th>
            <th>Robot</th>
            <th className="align-right">Episodes</th>
            <th className="align-right">Recorded</th>
            <th className="align-right">Size</th>
            <th>Source</th>
            <th>Changed</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td>
                <span className="row gap-12">
                  {item.camera_keys[0] && !item.deletion_at ? (
                    <Poster dataset={item} episode={0} camera={item.camera_keys[0]} frame={0} className="thumb wide" />
                  ) : (
                    <span className="thumb wide" />
                  )}
                  {item.deletion_at ? (
                    <span className="dim">{item.title}</span>
                  ) : (
                    <Link to="/datasets/$datasetId" params={{ datasetId: item.id }}>
                      <b>{item.title}</b>
                    </Link>
                  )}
                </span>
              </td>
              <td className="mono dim">{item.slug}</td>
              <td>
                <span className="chip line">{item.visibility === 'public' ? 'Public' : 'Private'}</span>
              </td>
              <td className="mid">{item.robot_type ?? '–'}</td>
              <td className="align-right" data-label="episodes">
                {formatCount(item.total_episodes)}
              </td>
              <td className="align-right" data-label="recorded">
                {formatShortDuration(item.total_seconds)}
              </td>
              <td className="align-right" data-label="size">
                {formatBytes(item.size_bytes)}
              </td>
              <td className="mid">{sourceNames[item.source_kind] ?? item.source_kind}</td>
              <td className="mid">
                {item.deletion_at ? (
                  <>
                    gone <Time at={item.deletion_at} />
                  </>
                ) : (
                  <Time at={item.updated_at} />
                )}
              </td>
              <td className="align-right">
                {item.deletion_at && (
                  <Button small onClick={() => restoration.mutate(item)}>
                    Restore
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  )
}
