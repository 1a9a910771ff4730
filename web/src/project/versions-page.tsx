import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { versionsQuery } from '../data/versions.ts'
import { formatBytes, formatCount } from '../parts/formats.ts'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'
import { useWorkspace } from '../session/workspace.ts'
import { StatusChip } from '../version/version-card.tsx'
import { VersionMenu } from '../version/version-menu.tsx'
import { VersionThumb } from '../version/version-thumb.tsx'

const routeApi = getRouteApi('/signed-in/orgs/$org/projects/$project/versions')

export function VersionsPage() {
  const { org, project } = routeApi.useParams()
  const versions = useQuery(versionsQuery(org, project))
  const workspace = useWorkspace()
  useEffect(() => {
    document.title = 'Versions · nmp'
  }, [])
  return (
    <div className="page">
      <div className="row below-12">
        <h1>Versions</h1>
        <span className="dim">
          {org} / {project}
        </span>
      </div>
      {versions.error && (
        <Failure error={versions.error} what="The versions did not load" onRetry={() => void versions.refetch()} />
      )}
      {versions.isPending && <Skeleton height={36} />}
      {versions.data?.length === 0 && (
        <Empty
          title="No version yet"
          actions={
            <Link className="button" to="/orgs/$org/projects/$project/datasets" params={{ org, project }}>
              Choose a dataset
            </Link>
          }
        >
          Open a dataset and start a recipe (R): it says which episodes and cameras are kept and what is done to them.
          The result is a version that never changes, exported as a LeRobot v3 dataset.
        </Empty>
      )}
      {versions.data && versions.data.length > 0 && (
        <TableScroll label="Versions">
          <table className="table stack pictured">
            <thead>
              <tr>
                <th>Version</th>
                <th>Of</th>
                <th>Export</th>
                <th>Seen by</th>
                <th className="align-right">Episodes</th>
                <th className="align-right">Frames</th>
                <th className="align-right">Size</th>
                <th>Note</th>
                <th>Made</th>
                <th>
                  <span className="visually-hidden">Commands</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {versions.data.map((version) => (
                <tr key={version.id}>
                  <td>
                    <span className="row gap-12">
                      <VersionThumb id={version.id} />
                      <Link to="/datasets/$datasetId" params={{ datasetId: version.id }}>
                        <b>
                          {version.slug} {version.version}
                        </b>
                      </Link>
                    </span>
                  </td>
                  <td className="mid">{version.source.title}</td>
                  <td>
                    <StatusChip version={version} />
                  </td>
                  <td>
                    <span className="chip line">{version.visibility === 'public' ? 'Public' : 'Private'}</span>
                  </td>
                  <td className="align-right" data-label="episodes">
                    {formatCount(version.episode_count)}
                  </td>
                  <td className="align-right" data-label="frames">
                    {formatCount(version.frame_count)}
                  </td>
                  <td className="align-right" data-label="size">
                    {formatBytes(version.export_artifacts.find(({ key }) => key === 'lerobot')?.size_bytes)}
                  </td>
                  <td className="mid clip max-width-260">{version.recipe.notes}</td>
                  <td className="mid">
                    <Time at={version.created_at} />
                  </td>
                  <td className="align-right commands">
                    <VersionMenu version={version} isAdmin={workspace?.role === 'admin'} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
    </div>
  )
}
