import type { ReactNode } from 'react'
import type { EpisodesSearch } from '../app/router.tsx'
import { Icon } from '../parts/icon.tsx'

interface EpisodesHeadProps {
  cameras: string[]
  search: EpisodesSearch
  onSort(next: Pick<EpisodesSearch, 'sort' | 'order'>): void
  check: ReactNode
}

export function EpisodesHead({ cameras, search, onSort, check }: EpisodesHeadProps) {
  const sort = (key: 'episode_index' | 'duration', label: string, className: string) => {
    const isOn = (search.sort ?? 'episode_index') === key
    const isDown = isOn && search.order === 'desc'
    return (
      <span role="columnheader" className={className} aria-sort={isOn ? (isDown ? 'descending' : 'ascending') : 'none'}>
        <button
          type="button"
          onClick={() =>
            onSort({ sort: key === 'episode_index' ? undefined : key, order: isOn && !isDown ? 'desc' : undefined })
          }
        >
          {label}
          {isOn && <Icon name={isDown ? 'down' : 'up'} small />}
        </button>
      </span>
    )
  }
  return (
    <div role="rowgroup" style={{ display: 'contents' }}>
      <div className="ep-grid ep-headrow" role="row">
        <span role="columnheader" className="c-check" style={{ display: 'flex' }}>
          {check}
        </span>
        {sort('episode_index', '#', 'r')}
        <span role="columnheader">{cameras.join(', ') || 'frames'}</span>
        <span role="columnheader" className="task-cell">
          Task
        </span>
        {sort('duration', 'Length, flagged ranges', '')}
        <span role="columnheader" className="r">
          Seconds
        </span>
        <span role="columnheader" className="r">
          Motion
        </span>
        <span role="columnheader" className="r">
          Variance
        </span>
        <span role="columnheader">Flags</span>
      </div>
    </div>
  )
}
