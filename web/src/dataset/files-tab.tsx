import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { filesPage, useManifest } from '../data/dataset.ts'
import { Button } from '../parts/controls.tsx'
import { formatBytes } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { ApiError } from '../session/client.ts'
import './dataset-frame.css'

const routeApi = getRouteApi('/datasets/$datasetId/files')

export function FilesTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  const archive = dataset?.export_artifacts.find(({ key, status }) => key === 'lerobot' && status === 'ready')
  const files = useInfiniteQuery({
    queryKey: ['files', datasetId],
    queryFn: ({ pageParam, signal }) => filesPage(datasetId, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const isNotMade = files.error instanceof ApiError && files.error.code === 'artifact_not_ready'
  const items = files.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <div className="tab-page">
      <div className="row below-8 wrap">
        <h2>Files</h2>
        <span className="dim small">LeRobot v3.0, ready for training, each file with its sha256</span>
        {archive && (
          <a className="button end" href={archive.href} title={archive.description}>
            <Icon name="download" small />
            Download
          </a>
        )}
      </div>
      {isNotMade && (
        <Empty
          title="There are no files yet"
          actions={
            <Link className="button" to="/datasets/$datasetId/derivation" params={{ datasetId }}>
              Export it
            </Link>
          }
        >
          A version is only a recipe until its files are needed: an export, or loading it in Python, makes them once.
        </Empty>
      )}
      {files.error && !isNotMade && (
        <Failure error={files.error} what="The files did not load" onRetry={() => void files.refetch()} />
      )}
      {files.isPending && <Skeleton height={36} />}
      {items.length > 0 && (
        <TableScroll label="Files">
          <table className="table">
            <thead>
              <tr>
                <th>Path</th>
                <th className="align-right">Size</th>
                <th>sha256</th>
              </tr>
            </thead>
            <tbody>
              {items.map((file) => (
                <tr key={file.path}>
                  <td>
                    <a className="mono underline-on-hover" href={file.href}>
                      {file.path}
                    </a>
                  </td>
                  <td className="align-right">{formatBytes(file.size_bytes)}</td>
                  <td className="mono dim" title={file.sha256}>
                    {file.sha256.slice(0, 16)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
      {files.hasNextPage && (
        <Button className="above-12" onClick={() => void files.fetchNextPage()}>
          More
        </Button>
      )}
    </div>
  )
}
