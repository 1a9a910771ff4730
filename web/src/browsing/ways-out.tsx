import { Button } from '../parts/controls.tsx'
import { formatCount, plural } from '../parts/formats.ts'
import { Empty } from '../parts/states.tsx'
import type { ChosenFilter } from './chosen-filters.ts'
import { type CatalogSearch, noFilter } from './search.ts'

export interface WaysOutProps {
  search: CatalogSearch
  chosen: readonly ChosenFilter[]
  onChange(next: Partial<CatalogSearch>): void
  onClearText(): void
}

/** The two filters chosen last and the words, each of which may be dropped. */
export const listWays = ({ q }: CatalogSearch, chosen: readonly ChosenFilter[]): ChosenFilter[] => [
  ...chosen.toReversed().slice(0, 2),
  ...(q ? [{ name: `“${q}”`, without: { q: undefined } }] : []),
]

/** Says which filter to drop and how many it would give; `counts` goes by `listWays`. */
export function WaysOut({ search, chosen, onChange, onClearText, counts }: WaysOutProps & { counts: number[] }) {
  const found = listWays(search, chosen).flatMap((way, at) => {
    const count = counts[at]
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
