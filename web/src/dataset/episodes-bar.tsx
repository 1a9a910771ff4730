import { Link } from '@tanstack/react-router'
import type { Manifest } from '../data/dataset.ts'
import { type EpisodeLabels, listBySuccess } from '../data/episodes/label-lists.ts'
import type { Outliers } from '../data/episodes/outliers.ts'
import { nameList } from '../data/episodes/walk.ts'
import type { EpisodesSearch } from '../data/searches.ts'
import { FlagReasonMenu } from '../episode/flag-reason.tsx'
import { hasSplits } from '../episode/splits.tsx'
import { Field, Kbd, Segmented } from '../parts/controls.tsx'
import { formatCount } from '../parts/formats.ts'
import { Select } from '../parts/select.tsx'
import { canEdit } from '../session/workspace.ts'
import './dataset-frame.css'
import { ColumnsMenu } from './columns-menu.tsx'
import { ReviewButton } from './review/start-review.tsx'
import './episodes.css'

interface EpisodesBarProps {
  dataset: Manifest
  search: EpisodesSearch
  text: string
  /** Undefined where nothing is measured. */
  outliers: Outliers | undefined
  labels: EpisodeLabels | undefined
  hasSuccess: boolean
  flaggedCount: number
  leftOutCount: number
  /** Everything that is listed. */
  listAll(): Promise<readonly number[]>
  onText(text: string): void
  onShow(show: EpisodesSearch['show']): void
  onSplit(split: string | undefined): void
}

/** Search, the ready lists, what the keys do. */
export function EpisodesBar(props: EpisodesBarProps) {
  const {
    dataset,
    search,
    text,
    outliers,
    labels,
    hasSuccess,
    flaggedCount,
    leftOutCount,
    listAll,
    onText,
    onShow,
    onSplit,
  } = props
  const split = dataset.splits.find(({ name }) => name === search.split)
  const shows: { value: NonNullable<EpisodesSearch['show']> | 'all'; label: string }[] = [
    { value: 'all', label: `All ${formatCount(split?.episode_count ?? dataset.metrics.total_episodes)}` },
  ]
  if (dataset.role) shows.push({ value: 'flagged', label: `Flagged ${formatCount(flaggedCount)}` })
  if (outliers)
    shows.push(
      { value: 'low-motion', label: `Low motion ${formatCount(outliers.lowMotion.length)}` },
      { value: 'high-variance', label: `High variance ${formatCount(outliers.highVariance.length)}` },
    )
  for (const [value, label, count] of [
    ['success', 'Succeeded', listBySuccess(labels, true).length],
    ['failure', 'Failed', listBySuccess(labels, false).length],
  ] as const)
    if (count > 0 || search.show === value) shows.push({ value, label: `${label} ${formatCount(count)}` })
  return (
    <div className="list-bar">
      <Field
        label="Task text or episode number"
        placeholder="Task text or episode number"
        type="search"
        icon="search"
        className="episodes-search"
        data-page-search
        value={text}
        onChange={(event) => onText(event.target.value)}
        hint={
          <span className="desktop-only">
            <Kbd>/</Kbd>
          </span>
        }
      />
      <div className="list-filters">
        <Segmented
          label="Show"
          value={search.show ?? 'all'}
          onChange={(show) => onShow(show === 'all' ? undefined : show)}
          options={shows}
        />
        {(hasSplits(dataset) || search.split) && (
          <Select
            label="Split"
            value={search.split ?? ''}
            onChange={(split) => onSplit(split || undefined)}
            options={[
              { value: '', label: 'Every split' },
              ...dataset.splits.map(({ name, episode_count }) => ({
                value: name,
                label: `${name}, ${formatCount(episode_count)}`,
              })),
            ]}
          />
        )}
      </div>
      {leftOutCount > 0 && (
        <Link
          className="link small"
          to="/datasets/$datasetId/recipe"
          params={{ datasetId: dataset.id }}
          search={{ step: 'episodes' }}
        >
          {formatCount(leftOutCount)} left out of the draft
        </Link>
      )}
      <span className="end row small dim desktop-only">
        <span className="row list-bar-keys">
          <Kbd>J</Kbd>
          <Kbd>K</Kbd> move <Kbd>X</Kbd> select <Kbd>⏎</Kbd> open
        </span>
        <ColumnsMenu hasSuccess={hasSuccess} />
        <ReviewButton dataset={dataset} name={capitalize(nameList(search) ?? 'All episodes')} indices={listAll} />
        {canEdit(dataset.role) && <FlagReasonMenu />}
      </span>
    </div>
  )
}

const capitalize = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
