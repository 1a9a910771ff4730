import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { listAllProjectsOf } from '../../organizations/projects/service.ts'
import * as repository from './repository.ts'

type LineageKind = 'push' | 'import' | 'revision' | 'version' | 'export'

/** Something that data came from or went to. */
export interface LineageNode {
  id: string
  kind: LineageKind
  title: string
  detail: string
  /** Null where the caller may not open it: then it is named as its successor names it, and no more. */
  place: { orgSlug: string; projectSlug: string; slug: string; number: number | null } | null
  state: string | null
  createdAt: Date | null
  isReadable: boolean
}

export interface Lineage {
  nodes: LineageNode[]
  edges: { from: string; to: string }[]
  /** There is more than a picture shows. */
  isCut: boolean
}

const mostNodes = 300
const mostSteps = 24

/** What somebody may see. */
interface Reader {
  sees(node: { projectId: string; isPublic: boolean }): boolean
  isMember(projectId: string): boolean
}

/** Everything that a dataset or version came from, and everything that came from it, as far as the caller may see it. */
export async function traceLineage(context: Context, principal: Principal, startId: string): Promise<Lineage> {
  const { db } = context
  const projects = new Set((await listAllProjectsOf(db, principal.userId)).map(({ id }) => id))
  const reader: Reader = {
    sees: ({ projectId, isPublic }) => isPublic || projects.has(projectId),
    isMember: (projectId) => projects.has(projectId),
  }
  const graph = createGraph()
  let datasets = startId.startsWith('ver_') ? [] : [startId]
  let versions = startId.startsWith('ver_') ? [startId] : []
  const seen = new Set<string>()
  for (let step = 0; step < mostSteps && datasets.length + versions.length > 0; step++) {
    if (graph.nodes.size > mostNodes) break
    for (const id of [...datasets, ...versions]) seen.add(id)
    const next = new Set<string>()
    await addDatasets(context, reader, graph, datasets, next)
    await addVersions(context, reader, graph, { ids: versions, sourceIds: [...datasets, ...versions] }, next)
    const fresh = [...next].filter((id) => !seen.has(id))
    datasets = fresh.filter((id) => !id.startsWith('ver_'))
    versions = fresh.filter((id) => id.startsWith('ver_'))
  }
  const isCut = datasets.length + versions.length > 0 || graph.nodes.size > mostNodes
  return { ...graph.close(), isCut }
}

function createGraph() {
  const nodes = new Map<string, LineageNode>()
  const edges = new Map<string, { from: string; to: string }>()
  return {
    nodes,
    add(node: LineageNode): void {
      const known = nodes.get(node.id)
      if (!known || (!known.isReadable && node.isReadable)) nodes.set(node.id, node)
    },
    link(from: string, to: string): void {
      edges.set(`${from} ${to}`, { from, to })
    },
    /** Edges to what is not shown go with it. */
    close: () => ({
      nodes: [...nodes.values()],
      edges: [...edges.values()].filter(({ from, to }) => nodes.has(from) && nodes.has(to)),
    }),
  }
}

type Graph = ReturnType<typeof createGraph>

async function addDatasets({ db }: Context, reader: Reader, graph: Graph, ids: readonly string[], next: Set<string>) {
  if (ids.length === 0) return
  const shown = new Map(
    (await repository.listDatasets(db, ids)).flatMap((row) => (reader.sees(row) ? [[row.id, row] as const] : [])),
  )
  for (const row of await repository.listRevisions(db, [...shown.keys()])) {
    const dataset = shown.get(row.datasetId)
    if (!dataset || (!reader.isMember(dataset.projectId) && !row.isPublic)) continue
    const place = { orgSlug: dataset.orgSlug, projectSlug: dataset.projectSlug, slug: dataset.slug }
    graph.add({
      id: row.id,
      kind: 'revision',
      title: `${dataset.title}, revision ${row.number}`,
      detail: `${row.episodeCount} episodes${row.isShown ? ', shown' : ''}`,
      place: { ...place, number: row.number },
      state: null,
      createdAt: row.createdAt,
      isReadable: true,
    })
    // How it came in is the project's own business.
    if (!row.importId || !reader.isMember(dataset.projectId)) continue
    graph.add({
      id: row.importId,
      kind: 'import',
      title: row.hfRepoId ?? `Import from ${row.sourceKind}`,
      detail: row.sourceKind,
      place: { ...place, number: null },
      state: 'succeeded',
      createdAt: row.createdAt,
      isReadable: true,
    })
    graph.link(row.importId, row.id)
    if (row.pushId) {
      graph.add({
        id: row.pushId,
        kind: 'push',
        title: 'Push through the Hub door',
        detail: dataset.slug,
        place: { ...place, number: null },
        state: null,
        createdAt: row.createdAt,
        isReadable: true,
      })
      graph.link(row.pushId, row.importId)
    }
    if (row.copiedVersionId) {
      graph.link(row.copiedVersionId, row.importId)
      next.add(row.copiedVersionId)
    }
  }
}

async function addVersions(
  { db }: Context,
  reader: Reader,
  graph: Graph,
  by: { ids: readonly string[]; sourceIds: readonly string[] },
  next: Set<string>,
) {
  const rows = (await repository.listVersions(db, by)).filter((row) => reader.sees(row))
  for (const row of rows) {
    graph.add({
      id: row.id,
      kind: 'version',
      title: `${row.name}, version ${row.version}`,
      detail: `${row.episodeCount} episodes`,
      place: { orgSlug: row.orgSlug, projectSlug: row.projectSlug, slug: row.slug, number: row.version },
      state: row.status,
      createdAt: row.createdAt,
      isReadable: true,
    })
    const isVersion = row.sourceKind === 'version'
    const sourceId = isVersion ? row.sourceId : row.sourceRevisionId
    graph.link(sourceId, row.id)
    // What it was made from may be closed, or gone: its own record names it all the same.
    graph.add({
      id: sourceId,
      kind: isVersion ? 'version' : 'revision',
      title: row.sourceTitle,
      detail: '',
      place: null,
      state: null,
      createdAt: null,
      isReadable: false,
    })
    next.add(row.sourceId)
    next.add(row.id)
  }
  const own = rows.filter((row) => reader.isMember(row.projectId)).map(({ id }) => id)
  for (const row of await repository.listExports(db, own)) {
    graph.add({
      id: row.id,
      kind: 'export',
      title: row.artifactKey,
      detail: row.state,
      place: null,
      state: row.state,
      createdAt: row.createdAt,
      isReadable: true,
    })
    graph.link(row.versionId, row.id)
  }
  for (const datasetId of await repository.listCopies(db, own)) next.add(datasetId)
}
