import { Fragment, type ReactNode } from 'react'
import type { EpisodesSearch } from '../data/searches.ts'
import { Icon } from '../parts/icon.tsx'
import { type ListColumn, listColumns } from './list-columns.ts'
import './episodes.css'

interface EpisodesHeadProps {
  cameras: string[]
  search: EpisodesSearch
  columns: readonly ListColumn[]
  /** What a search can be sorted by is the server's to say: number and length. */
  hasScores: boolean
  onSort(next: Pick<EpisodesSearch, 'sort' | 'order'>): void
  check: ReactNode
}

export function EpisodesHead({ cameras, search, columns, hasScores, onSort, check }: EpisodesHeadProps) {
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
  const score = (key: 'motion' | 'variance') =>
    hasScores ? sort(key, listColumns[key], 'align-right') : plain(listColumns[key], 'align-right')
  const heads: Record<ListColumn, ReactNode> = {
    task: search.show ? plain(listColumns.task, 'cell-task') : sort('task', listColumns.task, 'cell-task'),
    length: sort('duration', listColumns.length, 'cell-length'),
    seconds: sort('duration', listColumns.seconds, 'align-right cell-seconds'),
    curve: plain(listColumns.curve, 'cell-curve'),
    motion: score('motion'),
    variance: score('variance'),
    success: plain(listColumns.success, 'cell-success'),
    flags:
      search.q || search.split
        ? plain(listColumns.flags, 'cell-flags')
        : sort('flags', listColumns.flags, 'cell-flags'),
  }
  return (
    <div role="rowgroup" className="contents">
      <div className="episode-grid episodes-head" role="row">
        <span role="columnheader" className="cell-check flex">
          {check}
        </span>
        {sort(undefined, '#', 'align-right')}
        {plain(cameras.join(', ') || 'frames', 'clip')}
        {columns.map((column) => (
          <Fragment key={column}>{heads[column]}</Fragment>
        ))}
      </div>
    </div>
  )
}
