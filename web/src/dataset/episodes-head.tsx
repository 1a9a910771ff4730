import type { ReactNode } from 'react'
import type { EpisodesSearch } from '../data/searches.ts'
import { Icon } from '../parts/icon.tsx'

interface EpisodesHeadProps {
  cameras: string[]
  search: EpisodesSearch
  /** What a search can be sorted by is the server's to say: number and length. */
  hasScores: boolean
  onSort(next: Pick<EpisodesSearch, 'sort' | 'order'>): void
  check: ReactNode
}

export function EpisodesHead({ cameras, search, hasScores, onSort, check }: EpisodesHeadProps) {
  const sort = (key: EpisodesSearch['sort'], label: string, className: string) => {
    const isOn = search.sort === key
    const isDown = isOn && search.order === 'desc'
    return (
      <span role="columnheader" className={className} aria-sort={isOn ? (isDown ? 'descending' : 'ascending') : 'none'}>
        <button type="button" onClick={() => onSort({ sort: key, order: isOn && !isDown ? 'desc' : undefined })}>
          {label}
          {isOn && <Icon name={isDown ? 'down' : 'up'} small />}
        </button>
      </span>
    )
  }
  const plain = (label: string, className = '') => (
    <span role="columnheader" className={className}>
      {label}
    </span>
  )
  return (
    <div role="rowgroup" style={{ display: 'contents' }}>
      <div className="ep-grid ep-headrow" role="row">
        <span role="columnheader" className="c-check" style={{ display: 'flex' }}>
          {check}
        </span>
        {sort(undefined, '#', 'r')}
        {plain(cameras.join(', ') || 'frames', 'clip')}
        {plain('Task', 'task-cell')}
        {sort('duration', 'Length', '')}
        {plain('Seconds', 'r c-seconds')}
        {plain('Motion over time', 'c-curve')}
        {hasScores ? sort('motion', 'Motion', 'r') : plain('Motion', 'r')}
        {hasScores ? sort('variance', 'Variance', 'r') : plain('Variance', 'r')}
        {plain('Flags', 'c-flags')}
      </div>
    </div>
  )
}
