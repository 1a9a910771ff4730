import type { ProjectDataset } from '@nmp/sdk/generated/records'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { projectDatasetsQuery, restoreDataset } from '../data/project.ts'
import { Poster } from '../episode/poster.tsx'
import { Button } from '../parts/controls.tsx'
import { formatBytes, formatCount, formatShortDuration } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'
import { showFault } from '../parts/toasts.tsx'
import { canEdit, useWorkspace } from '../session/workspace.ts'

const routeApi = getRouteApi('/orgs/$org/projects/$project/datasets')

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
      <div className="row mb-3 flex-wrap">
        <h1>Datasets</h1>
        <span className="dim">
          {org} / {project}
        </span>
        {canEdit(workspace?.role) && (
          <Link
            className="btn pri end"
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
              className="btn pri"
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
  const cache = useQueryClient()
  return (
    <TableScroll label="Datasets">
      <table className="t stack pictured">
        <thead>
          <tr>
            <th>Dataset</th>
            <th>Short name</th>
            <th>Seen by</th>
            <th>Robot</th>
            <th className="r">Episodes</th>
            <th className="r">Recorded</th>
            <th className="r">Size</th>
            <th>Source</th>
            <th>Changed</th>
            <th>
              <span className="vh">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td>
                <span className="row gap-3">
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
              <td className="r" data-label="episodes">
                {formatCount(item.total_episodes)}
              </td>
              <td className="r" data-label="recorded">
                {formatShortDuration(item.total_seconds)}
              </td>
              <td className="r" data-label="size">
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
              <td className="r">
                {item.deletion_at && (
                  <Button
                    small
                    onClick={() => {
                      restoreDataset(item.org_slug, item.project_slug, item.slug).then(
                        () => void cache.invalidateQueries({ queryKey: ['project-datasets'] }),
                        (error: Error) => showFault(error.message),
                      )
                    }}
                  >
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
