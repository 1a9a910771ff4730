import { Link } from '@tanstack/react-router'
import type { Lineage, LineageNode } from '../../data/diff.ts'
import { layOutLineage } from '../../data/lineage-layout.ts'
import { Time } from '../../parts/time.tsx'
import './lineage-picture.css'

const box = { width: 208, height: 62, across: 52, down: 18 }

const words: Record<LineageNode['kind'], string> = {
  push: 'Push',
  import: 'Import',
  revision: 'Revision',
  version: 'Version',
  export: 'Export',
}

interface LineagePictureProps {
  lineage: Lineage
  /** What the page is of. */
  ownId: string
  ownSlug: string
}

export function LineagePicture({ lineage: { nodes, edges }, ownId, ownSlug }: LineagePictureProps) {
  const placed = layOutLineage(
    nodes.map(({ id }) => id),
    edges,
  )
  const places = new Map(
    placed.map(({ id, column, row }) => [
      id,
      { left: column * (box.width + box.across), top: row * (box.height + box.down) },
    ]),
  )
  const width = Math.max(...[...places.values()].map(({ left }) => left)) + box.width
  const height = Math.max(...[...places.values()].map(({ top }) => top)) + box.height
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section className="lineage" aria-label="Lineage" tabIndex={0}>
      <div className="relative" style={{ width, height }}>
        <svg className="lineage-edges" width={width} height={height} aria-hidden="true">
          <marker id="lineage-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path className="lineage-head" d="M0 0 8 4 0 8z" />
          </marker>
          {edges.map(({ from, to }) => (
            <path
              key={`${from} ${to}`}
              className="lineage-edge"
              d={drawEdge(places.get(from), places.get(to))}
              markerEnd="url(#lineage-head)"
            />
          ))}
        </svg>
        {nodes.map((node) => (
          <Node
            key={node.id}
            node={node}
            place={places.get(node.id)}
            isOwn={node.id === ownId || (node.kind === 'revision' && node.slug === ownSlug)}
          />
        ))}
      </div>
    </section>
  )
}

interface Place {
  left: number
  top: number
}

function drawEdge(from: Place | undefined, to: Place | undefined): string {
  if (!from || !to) return ''
  const [x1, y1] = [from.left + box.width, from.top + box.height / 2]
  const [x2, y2] = [to.left, to.top + box.height / 2]
  const bend = box.across / 2
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`
}

function Node({ node, place, isOwn }: { node: LineageNode; place: Place | undefined; isOwn: boolean }) {
  const isFailed = node.state === 'failed'
  return (
    <div
      className="lineage-node"
      data-kind={node.kind}
      data-own={isOwn}
      style={{ ...place, width: box.width, height: box.height }}
      title={node.title}
    >
      <span className="row small mid">
        {words[node.kind]}
        {isFailed && <span className="chip tiny flag">failed</span>}
        {!node.readable && <span className="chip tiny line">closed or gone</span>}
        {node.created_at && (
          <span className="end">
            <Time at={node.created_at} />
          </span>
        )}
      </span>
      <NodeTitle node={node} />
      {node.detail && <span className="small dim clip">{node.detail}</span>}
    </div>
  )
}

function NodeTitle({ node }: { node: LineageNode }) {
  if (node.kind === 'version' && node.readable)
    return (
      <Link className="link clip semibold" to="/datasets/$datasetId" params={{ datasetId: node.id }}>
        {node.title}
      </Link>
    )
  if (node.kind === 'import' && node.org_slug && node.project_slug)
    return (
      <Link
        className="link clip semibold"
        to="/orgs/$org/projects/$project/imports/$jobId"
        params={{ org: node.org_slug, project: node.project_slug, jobId: node.id }}
      >
        {node.title}
      </Link>
    )
  return <b className="clip">{node.title}</b>
}
