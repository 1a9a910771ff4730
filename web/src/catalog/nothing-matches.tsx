import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { browseQuery } from '../data/catalog.ts'
import { isMoving, movingImportsQuery } from '../data/imports.ts'
import { Button } from '../parts/controls.tsx'
import { formatCount, plural } from '../parts/formats.ts'
import { Empty } from '../parts/states.tsx'
import { signIn, useSession } from '../session/sign-in.ts'
import { useWorkspace } from '../session/workspace.ts'
import { type CatalogSearch, noFilter } from './search.ts'

export interface ChosenFilter {
  name: string
  /** What takes it away. */
  without: Partial<CatalogSearch>
}

interface NothingMatchesProps {
  search: CatalogSearch
  chosen: readonly ChosenFilter[]
  onChange(next: Partial<CatalogSearch>): void
  onClearText(): void
}

/** Says which filter to drop and how many it would give. */
export function NothingMatches({ search, chosen, onChange, onClearText }: NothingMatchesProps) {
  const { view: _, measure: __, ...filter } = search
  const ways = [
    ...chosen.toReversed().slice(0, 2),
    ...(search.q ? [{ name: `“${search.q}”`, without: { q: undefined } }] : []),
  ]
  const counts = useQueries({ queries: ways.map(({ without }) => browseQuery({ ...filter, ...without })) })
  if (ways.length === 0) return <EmptyCatalog />
  const found = ways.flatMap((way, at) => {
    const count = counts[at]?.data?.total
    return count ? [{ ...way, count }] : []
  })
  const names = chosen.map(({ name }) => name).join(', ')
  const drop = (without: Partial<CatalogSearch>) => {
    if ('q' in without) onClearText()
    onChange(without)
  }
  return (
    <Empty
      title={`No dataset matches${search.q ? ` “${search.q}”` : ''}${names ? ` with ${names}` : ''}`}
      actions={
        <>
          {found.map(({ name, without, count }) => (
            <Button key={name} onClick={() => drop(without)}>
              Drop {name}
              <span className="count">{formatCount(count)}</span>
            </Button>
          ))}
          <Button look={found.length > 0 ? 'ghost' : 'default'} onClick={() => drop({ ...noFilter, q: undefined })}>
            Clear all
          </Button>
        </>
      }
    >
      {found[0]
        ? `${plural(found[0].count, 'dataset matches', 'datasets match')} without ${found[0].name}.`
        : 'Each word must match the start of a word in the title, owner, tags, tasks, robot type or description.'}
    </Empty>
  )
}

function EmptyCatalog() {
  const session = useSession()
  const workspace = useWorkspace()
  const imports = useQuery({
    ...movingImportsQuery(workspace?.org ?? '', workspace?.project ?? ''),
    enabled: workspace !== undefined,
  })
  const moving = imports.data?.items.find(isMoving)
  return (
    <Empty
      title={moving ? 'The catalog is empty, but not for long' : 'The catalog is empty'}
      actions={
        workspace ? (
          <Link
            className="button primary"
            to="/orgs/$org/projects/$project/imports"
            params={{ org: workspace.org, project: workspace.project }}
          >
            {moving ? 'Watch the import' : 'Import a dataset'}
          </Link>
        ) : session === 'signed-in' ? null : (
          <Button look="primary" onClick={() => void signIn()}>
            Sign in
          </Button>
        )
      }
    >
      {moving
        ? `${moving.title} is being imported; it will appear here by itself. `
        : 'After the first start, a simulated dataset appears here within a minute, unless the operator turned it off. '}
      Published datasets appear here for everybody; a new one is private until its project publishes it.
    </Empty>
  )
}
