import type { ProjectDataset } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { BrowseView } from '../browsing/browse-view.tsx'
import type { CatalogSearch } from '../browsing/search.ts'
import { listWays, WaysOut } from '../browsing/ways-out.tsx'
import type { CardItem } from '../data/catalog.ts'
import { projectDatasetsQuery } from '../data/project.ts'
import { posterPath } from '../episode/poster.tsx'
import { Check } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { canEdit, useMe } from '../session/workspace.ts'
import { browseDatasets } from './browse-datasets.ts'
import { DatasetsTray } from './datasets-tray.tsx'
import { LeavingDatasets } from './leaving-datasets.tsx'

const routeApi = getRouteApi('/signed-in/orgs/$org/projects/$project/datasets')
const cardsAtOnce = 48

/** The catalog's list, of what a project has, private and public; and what may be done to several of them. */
export function DatasetsPage() {
  const { org, project } = routeApi.useParams()
  const search = routeApi.useSearch()
  const navigate = routeApi.useNavigate()
  const datasets = useQuery(projectDatasetsQuery(org, project))
  const role = useMe().data?.projects.find((one) => one.org_slug === org && one.project_slug === project)?.role
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState(cardsAtOnce)
  const staying = useMemo(() => datasets.data?.items.filter(({ deletion_at }) => !deletion_at), [datasets.data])
  const leaving = datasets.data?.items.filter(({ deletion_at }) => deletion_at) ?? []
  const browsed = useMemo(() => staying && browseDatasets(staying, search), [staying, search])
  const change = (next: Partial<CatalogSearch>) =>
    void navigate({ search: (old: CatalogSearch) => ({ ...old, ...next }), replace: true })
  const toggle = (id: string) => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
  }
  const chosen = staying?.filter(({ id }) => selected.has(id)) ?? []
  const renderMark = (item: CardItem) => (
    <Check aria-label={`Select ${item.title}`} checked={selected.has(item.id)} onChange={() => toggle(item.id)} />
  )
  return (
    <>
      <BrowseView
        title="Datasets"
        search={search}
        onSearch={change}
        found={browsed?.found}
        items={browsed?.items.slice(0, shown).map(toCard) ?? []}
        isPending={datasets.isPending}
        isLoaded={browsed !== undefined}
        actions={canEdit(role) && <NewImport org={org} project={project} />}
        renderEmpty={(filters, clearText) =>
          staying?.length === 0 ? (
            <NoDataset org={org} project={project} mayImport={canEdit(role)} />
          ) : (
            <WaysOut
              search={search}
              chosen={filters}
              onChange={change}
              onClearText={clearText}
              counts={listWays(search, filters).map(
                ({ without }) => browseDatasets(staying ?? [], { ...search, ...without }).items.length,
              )}
            />
          )
        }
        renderMark={canEdit(role) ? renderMark : undefined}
        onEnd={browsed && browsed.items.length > shown ? () => setShown(shown + cardsAtOnce) : undefined}
      >
        {datasets.error && (
          <Failure error={datasets.error} what="The datasets did not load" onRetry={() => void datasets.refetch()} />
        )}
        {leaving.length > 0 && <LeavingDatasets datasets={leaving} mayRestore={role === 'admin'} />}
      </BrowseView>
      {chosen.length > 0 && role && (
        <DatasetsTray datasets={chosen} role={role} onClear={() => setSelected(new Set())} />
      )}
    </>
  )
}

const toCard = (dataset: ProjectDataset): CardItem => ({
  ...dataset,
  seenBy: dataset.visibility === 'private' ? 'Private' : 'Public',
  poster_url: dataset.camera_keys[0] === undefined ? null : posterPath(dataset, 0, dataset.camera_keys[0], 0, 640),
})

const NewImport = ({ org, project }: { org: string; project: string }) => (
  <Link
    className="button primary"
    to="/orgs/$org/projects/$project/imports"
    params={{ org, project }}
    search={{ new: 'huggingface' }}
  >
    <Icon name="plus" small />
    New import
  </Link>
)

const NoDataset = ({ org, project, mayImport }: { org: string; project: string; mayImport: boolean }) => (
  <Empty
    title="No dataset in this project yet"
    actions={
      mayImport && (
        <Link
          className="button primary"
          to="/orgs/$org/projects/$project/imports"
          params={{ org, project }}
          search={{ new: 'huggingface' }}
        >
          Import one
        </Link>
      )
    }
  >
    Import demonstrations from Hugging Face, from HDF5 files or a LeRobot folder.
  </Empty>
)
