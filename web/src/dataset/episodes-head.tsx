import type { ReactNode } from 'react'
import type { EpisodesSearch } from '../data/searches.ts'
import { Icon } from '../parts/icon.tsx'
import './episodes.css'

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
    <div role="rowgroup" className="contents">
      <div className="episode-grid episodes-head" role="row">
        <span role="columnheader" className="cell-check flex">
          {check}
        </span>
        {sort(undefined, '#', 'align-right')}
        {plain(cameras.join(', ') || 'frames', 'clip')}
        {search.show ? plain('Task', 'cell-task') : sort('task', 'Task', 'cell-task')}
        {sort('duration', 'Length', 'cell-length')}
        {sort('duration', 'Seconds', 'align-right cell-seconds')}
        {plain('Motion over time', 'cell-curve')}
        {hasScores ? sort('motion', 'Motion', 'align-right') : plain('Motion', 'align-right')}
        {hasScores ? sort('variance', 'Variance', 'align-right') : plain('Variance', 'align-right')}
        {search.q || search.split ? plain('Flags', 'cell-flags') : sort('flags', 'Flags', 'cell-flags')}
      </div>
    </div>
  )
}
