import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { listWays, WaysOut, type WaysOutProps } from '../browsing/ways-out.tsx'
import { browseCountsQuery } from '../data/catalog.ts'
import { isMoving, movingImportsQuery } from '../data/imports.ts'
import { Button } from '../parts/controls.tsx'
import { Empty } from '../parts/states.tsx'
import { signIn, useSession } from '../session/sign-in.ts'
import { useWorkspace } from '../session/workspace.ts'

/** Nothing in the catalog matches. */
export function NothingMatches(props: WaysOutProps) {
  const { view: _, measure: __, ...filter } = props.search
  const ways = listWays(props.search, props.chosen)
  const counts = useQueries({ queries: ways.map(({ without }) => browseCountsQuery({ ...filter, ...without })) })
  if (ways.length === 0) return <EmptyCatalog />
  return <WaysOut {...props} counts={counts.map(({ data }) => data?.total ?? 0)} />
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
