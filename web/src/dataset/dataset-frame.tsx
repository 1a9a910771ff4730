import { type ReactNode, useEffect } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { endWalk } from '../data/episodes/walk.ts'
import { useDraftSync } from '../data/recipe/draft-sync.ts'
import { DatasetHead } from './dataset-head.tsx'
import { DatasetTabs } from './dataset-tabs.tsx'
import { Tray } from './tray.tsx'
import './dataset-frame.css'

interface DatasetFrameProps {
  dataset: Manifest
  /** Where X does not select a row. */
  canExcludeByKey?: boolean
  children: ReactNode
}

/** What every tab of a dataset has around it: its facts, the tabs, the tray. */
export function DatasetFrame({ dataset, canExcludeByKey = false, children }: DatasetFrameProps) {
  useDraftSync(dataset.id)
  // Who is here again has left the list they went along; the next one they open an episode from is theirs.
  useEffect(() => endWalk(dataset.id), [dataset.id])
  return (
    <div className="dataset">
      <DatasetHead dataset={dataset} />
      <DatasetTabs dataset={dataset} />
      {children}
      <Tray dataset={dataset} canExcludeByKey={canExcludeByKey} />
    </div>
  )
}
