import { useMemo, useRef } from 'react'
import type { LaneData } from '../../data/episodes/lanes.ts'
import { plural } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import { useNear } from '../../parts/use-near.ts'
import { drawGroup } from './lane-lines.ts'
import { LanePlot } from './lane-plot.tsx'
import './lanes.css'

interface GroupRowProps {
  name: string
  data: LaneData[]
  from: number
  to: number
  isFolded: boolean
  onToggle(): void
}

/** The name of a group (left arm, right arm); folded, all its dimensions in one line. */
export function GroupRow({ name, data, from, to, isFolded, onToggle }: GroupRowProps) {
  const row = useRef<HTMLDivElement>(null)
  const isNear = useNear(row, true)
  const drawn = useMemo(() => (isFolded ? drawGroup(data) : undefined), [data, isFolded])
  return (
    <div className="lane lane-group" data-folded={isFolded} data-group={name} ref={row}>
      <button type="button" className="lane-name" aria-expanded={!isFolded} onClick={onToggle}>
        <Icon name={isFolded ? 'right' : 'down'} small />
        <b>{name}</b>
        <span className="dim smallest desktop-only">{plural(data.length, 'dim')}</span>
      </button>
      <div className="lane-plot">{drawn && isNear && <LanePlot drawn={drawn} from={from} to={to} />}</div>
      <div className="lane-values" />
    </div>
  )
}
