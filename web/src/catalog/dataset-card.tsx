import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CatalogItem } from '../data/catalog.ts'
import { formatCount, formatShortDuration } from '../parts/formats.ts'
import { MiniHistogram } from '../parts/mini-histogram.tsx'
import { CardPreview } from './card-preview.tsx'
import './dataset-card.css'

/** Pictures, name, owner, what it is and how much; the whole is one link. */
export function DatasetCard({ item }: { item: CatalogItem }) {
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
        <span className="clip dim">{item.org_slug}</span>
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
