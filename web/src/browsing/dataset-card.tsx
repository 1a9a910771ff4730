import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { CardItem } from '../data/catalog.ts'
import { formatCount, formatShortDuration } from '../parts/formats.ts'
import { MiniHistogram } from '../parts/mini-histogram.tsx'
import { CardPreview } from './card-preview.tsx'
import './dataset-card.css'

/** Pictures, name, owner, what it is and how much; the whole is one link, but for the mark in its corner. */
export function DatasetCard({ item, mark }: { item: CardItem; mark?: ReactNode }) {
  const card = <CardLink item={item} />
  if (!mark) return card
  return (
    <div className="dataset-card-place">
      {card}
      <span className="dataset-card-mark">{mark}</span>
    </div>
  )
}

function CardLink({ item }: { item: CardItem }) {
  const [isFocused, setFocused] = useState(false)
  return (
    <Link
      to="/datasets/$datasetId"
      params={{ datasetId: item.id }}
      className="dataset-card"
      onFocus={(event) => setFocused(event.currentTarget.matches(':focus-visible'))}
      onBlur={() => setFocused(false)}
    >
      <CardPreview item={item} isFocused={isFocused} />
      <span className="dataset-card-title clip" title={item.title}>
        {item.title}
      </span>
      <span className="dataset-card-chips">
        <span className="clip dim">{item.seenBy ?? item.org_slug}</span>
        {item.robot_type && <span className="chip line tiny">{item.robot_type}</span>}
        {item.tags.slice(0, 1).map((tag) => (
          <span className="chip tiny" key={tag}>
            {tag}
          </span>
        ))}
      </span>
      <span className="dataset-card-facts">
        <span>
          <b>{formatCount(item.total_episodes)}</b> ep
        </span>
        <b>{formatShortDuration(item.total_seconds)}</b>
        <span>
          <b>{item.camera_keys.length}</b> cam
        </span>
        <span className="end" title="Episode lengths">
          <MiniHistogram counts={item.length_histogram} />
        </span>
      </span>
    </Link>
  )
}
