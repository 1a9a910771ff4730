import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { formatBytes } from '../parts/formats.ts'
import { buildTree, listVisible, type TreeNode } from './hdf5-nodes.ts'
import { getPreviewUrl, type ImportJob, type PreviewAsset } from './queries.ts'

/** The chosen node in words, and the pictures and clips that the import made. */
export function ImportPreviews({ job, node }: { job: ImportJob; node: string | undefined }) {
  const chosen = useMemo(() => (job.hdf5 && node ? findNode(buildTree(job.hdf5), node) : undefined), [job.hdf5, node])
  const pictures = job.preview_assets.filter(({ kind }) => kind === 'image_preview')
  const clips = job.preview_assets.filter(
    ({ kind }) => kind === 'video_mp4' || kind === 'video_preview' || kind === 'video_webm',
  )
  const series = job.preview_assets.filter(({ kind }) => kind === 'timeseries_parquet' || kind === 'timeseries_arrow')
  const shown = clips.length > 0 ? clips : pictures
  if (shown.length === 0 && series.length === 0 && !chosen) return null
  return (
    <section className="previews" aria-label="Previews">
      <div className="row flex-wrap" style={{ minHeight: 28 }}>
        {chosen ? (
          <>
            <b className="mono">{chosen.path}</b>
            <span className="mid sm">
              {chosen.dataset ? `${chosen.dataset.dtype}, ${chosen.dataset.shape.join(' x ') || 'scalar'}` : 'group'}
            </span>
            <span className="dim sm end clip">
              {Object.entries(chosen.attrs)
                .slice(0, 6)
                .map(([name, value]) => `${name} = ${JSON.stringify(value)}`.slice(0, 80))
                .join(', ')}
            </span>
          </>
        ) : (
          <h3>Previews</h3>
        )}
      </div>
      <div className="previews-grid">
        {shown.map((asset) => (
          <Preview key={asset.path} job={job} asset={asset} />
        ))}
      </div>
      {series.length > 0 && (
        <div className="row sm mt-2 flex-wrap">
          <span className="dim">Numbers over time</span>
          {series.map((asset) => (
            <SeriesLink key={asset.path} job={job} asset={asset} />
          ))}
        </div>
      )}
    </section>
  )
}

const findNode = (roots: readonly TreeNode[], path: string): TreeNode | undefined => {
  const everything = new Set<string>()
  const open = (nodes: readonly TreeNode[]) => {
    for (const one of nodes) {
      everything.add(one.path)
      open(one.children)
    }
  }
  open(roots)
  return listVisible(roots, everything).find((one) => one.path === path)
}

const usePreviewUrl = (job: ImportJob, { path }: PreviewAsset) =>
  useQuery({
    queryKey: ['preview', job.id, path],
    queryFn: () => getPreviewUrl(job.org_slug, job.project_slug, job.id, path.split('/').at(-1) ?? ''),
    staleTime: 10 * 60_000,
  })

function Preview({ job, asset }: { job: ImportJob; asset: PreviewAsset }) {
  const url = usePreviewUrl(job, asset)
  const label =
    typeof asset.metadata?.camera_key === 'string' ? asset.metadata.camera_key.split('.').at(-1) : asset.label
  return (
    <figure title={asset.label}>
      {url.data &&
        (asset.kind === 'image_preview' ? (
          <img src={url.data.url} alt={asset.label} loading="lazy" />
        ) : (
          <video
            src={url.data.url}
            muted
            loop
            playsInline
            preload="metadata"
            aria-label={asset.label}
            onPointerEnter={(event) => void event.currentTarget.play().catch(() => {})}
            onPointerLeave={(event) => event.currentTarget.pause()}
          />
        ))}
      <figcaption className="osd" style={{ left: 6, top: 6 }}>
        {label}
      </figcaption>
    </figure>
  )
}

function SeriesLink({ job, asset }: { job: ImportJob; asset: PreviewAsset }) {
  const url = usePreviewUrl(job, asset)
  return (
    <a className="lk" href={url.data?.url} title={asset.label}>
      {asset.path.split('/').at(-1)} ({formatBytes(asset.size_bytes)})
    </a>
  )
}
