import type {
  WorkspaceImportJob as ImportJob,
  WorkspaceImportPreviewAsset as ImportPreviewAsset,
} from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { getPreviewUrl } from '../data/imports.ts'
import { formatBytes, formatCount } from '../parts/formats.ts'
import { buildTree, listVisible, type TreeNode } from './hdf5-nodes.ts'
import './import-previews.css'

/** The chosen node in words, and what the import made to look at: pictures as clips, numbers as a file. */
export function ImportPreviews({ job, node }: { job: ImportJob; node: string | undefined }) {
  const summary = job.hdf5 ?? undefined
  const chosen = useMemo(() => (summary && node ? findNode(buildTree(summary), node) : undefined), [summary, node])
  const cameras = pickPerCamera(job.preview_assets)
  const series = job.preview_assets.filter(({ kind }) => kind === 'timeseries_parquet' || kind === 'timeseries_arrow')
  if (cameras.length === 0 && series.length === 0 && !chosen) return null
  const camera = chosen && findCamera(chosen, cameras)
  return (
    <section className="previews" aria-label="Previews">
      <div className="row wrap min-height-28">{chosen ? <ChosenNode node={chosen} /> : <h3>Previews</h3>}</div>
      <div className="previews-grid">
        {cameras.map((asset) => (
          <Preview key={asset.path} job={job} asset={asset} isCurrent={asset === camera} />
        ))}
      </div>
      {series.length > 0 && (
        <div className="row small above-8 wrap">
          <span className="dim">The numbers of episode 0 as a file</span>
          {series.map((asset) => (
            <SeriesLink key={asset.path} job={job} asset={asset} />
          ))}
        </div>
      )}
    </section>
  )
}

function ChosenNode({ node }: { node: TreeNode }) {
  const facts = node.dataset
    ? [node.dataset.dtype, node.dataset.shape.map(formatCount).join(' x ') || 'scalar', node.role].filter(Boolean)
    : ['group']
  return (
    <>
      <b className="mono">{node.path}</b>
      <span className="mid small">{facts.join(', ')}</span>
      <span className="dim small end clip">
        {Object.entries(node.attrs)
          .slice(0, 6)
          .map(([name, value]) => `${name} = ${JSON.stringify(value)}`.slice(0, 80))
          .join(', ')}
      </span>
    </>
  )
}

/** A clip where there is one, else the picture: one of each camera. */
function pickPerCamera(assets: readonly ImportPreviewAsset[]): ImportPreviewAsset[] {
  const rank: Partial<Record<ImportPreviewAsset['kind'], number>> = {
    video_mp4: 0,
    video_webm: 1,
    video_preview: 2,
    image_preview: 3,
  }
  const best = new Map<string, ImportPreviewAsset>()
  for (const asset of assets) {
    if (rank[asset.kind] === undefined) continue
    const camera = String(asset.metadata.camera_key ?? asset.path)
    const known = best.get(camera)
    if (!known || (rank[asset.kind] ?? 9) < (rank[known.kind] ?? 9)) best.set(camera, asset)
  }
  return [...best.values()]
}

/** The camera that a dataset of the file was read as. */
const findCamera = ({ role }: TreeNode, cameras: readonly ImportPreviewAsset[]): ImportPreviewAsset | undefined =>
  role === undefined
    ? undefined
    : cameras.find(({ metadata }) => {
        const key = String(metadata.camera_key ?? '')
        const named = role.split(', ')[0] ?? ''
        return key !== '' && (key === named || key.split('.').at(-1) === named.split('.').at(-1))
      })

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

const usePreviewUrl = (job: ImportJob, { path }: ImportPreviewAsset) =>
  useQuery({
    queryKey: ['preview', job.id, path],
    queryFn: () => getPreviewUrl(job, path.split('/').at(-1) ?? ''),
    staleTime: 10 * 60_000,
  })

function Preview({ job, asset, isCurrent }: { job: ImportJob; asset: ImportPreviewAsset; isCurrent: boolean }) {
  const url = usePreviewUrl(job, asset)
  const label =
    typeof asset.metadata.camera_key === 'string' ? asset.metadata.camera_key.split('.').at(-1) : asset.label
  return (
    <figure title={asset.label} data-current={isCurrent}>
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
            aria-label={`${asset.label}. Play or pause`}
            tabIndex={0}
            onPointerEnter={(event) => play(event.currentTarget)}
            onPointerLeave={(event) => event.currentTarget.pause()}
            onClick={(event) => toggle(event.currentTarget)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return
              event.preventDefault()
              toggle(event.currentTarget)
            }}
          />
        ))}
      <figcaption className="osd top-left">{label}</figcaption>
    </figure>
  )
}

const play = (video: HTMLVideoElement): void => void video.play().catch(() => {})
const toggle = (video: HTMLVideoElement): void => (video.paused ? play(video) : video.pause())

function SeriesLink({ job, asset }: { job: ImportJob; asset: ImportPreviewAsset }) {
  const url = usePreviewUrl(job, asset)
  return (
    <a className="link" href={url.data?.url} title={asset.label} download>
      {asset.path.split('/').at(-1)} ({formatBytes(asset.size_bytes)})
    </a>
  )
}
