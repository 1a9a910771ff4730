import type { SourceMap } from '@nmp/sdk/generated/records'
import type { Manifest } from '../../data/dataset.ts'
import {
  findCamera,
  leaveOutCamera,
  listSpareCameras,
  type MergedCamera,
  type MergedSide,
} from '../../data/recipe/source-map.ts'
import { Poster } from '../../episode/poster.tsx'
import { Button } from '../../parts/controls.tsx'
import { shortName } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import { Select } from '../../parts/select.tsx'
import { LineFaults, MapReason, type SuggestedRow } from './map-reason.tsx'
import { findLineFaults, type SourceFault } from './source-faults.ts'
import './source-map.css'

export interface MapLinesProps {
  /** Which of the sources it is. */
  place: number
  first: { dataset: Manifest; side: MergedSide }
  other: { dataset: Manifest; side: MergedSide }
  map: SourceMap
  suggested: { map: SourceMap; rows: readonly SuggestedRow[] }
  faults: readonly SourceFault[]
  onChange(map: SourceMap): void
}

interface CameraLinesProps extends MapLinesProps {
  /** Cameras of ours that the result does without. */
  leftOut: ReadonlySet<string>
  /** One of theirs for ours; null leaves ours out of the result. */
  onChoose(ours: string, theirs: string | null): void
  /** Makes their pictures as large as ours. */
  onResize(width: number, height: number): void
}

const none = '(none)'

/** Which of their cameras each of ours is, with a picture of both. */
export function CameraLines({ place, first, other, map, suggested, faults, onChange, ...props }: CameraLinesProps) {
  const { leftOut, onChoose, onResize } = props
  const [ours, theirs] = [first.side.cameras, other.side.cameras]
  if (ours.length === 0 && theirs.length === 0) return null
  const spare = listSpareCameras(map, theirs, ours)
  return (
    <section aria-label="Cameras">
      <h3>Cameras</h3>
      <ul className="map-lines">
        {ours.map((camera) => {
          const found = findCamera(map, theirs, camera.name)
          const isOut = leftOut.has(camera.name)
          const row = suggested.rows.find(({ kind, ours: name }) => kind === 'camera' && name === camera.name)
          const before = findCamera(suggested.map, theirs, camera.name)
          return (
            <li key={camera.name} className="map-line" data-off={isOut}>
              <div className="map-pictures">
                <Shot dataset={first.dataset} camera={camera} side="Ours" />
                <Icon name="right" small />
                {found && !isOut ? (
                  <Shot dataset={other.dataset} camera={found} side="Theirs" />
                ) : (
                  <span className="map-no-picture small dim">{isOut ? 'left out' : 'none'}</span>
                )}
              </div>
              <Select
                label={`${shortName(camera.name)}, from their`}
                showLabel
                value={isOut ? none : (found?.name ?? '')}
                options={[
                  ...(found || isOut ? [] : [{ value: '', label: 'Choose…' }]),
                  ...theirs.map(({ name, width, height }) => ({
                    value: name,
                    label: `${shortName(name)}, ${width} x ${height}`,
                  })),
                  { value: none, label: 'Leave it out of the result' },
                ]}
                onChange={(value) => value !== '' && onChoose(camera.name, value === none ? null : value)}
              />
              {found && !isOut ? (
                <div>
                  <MapReason
                    row={row}
                    isCorrected={found.name !== before?.name}
                    faults={findLineFaults(faults, place, 'cameras', camera.name, found.name)}
                  />
                  {(found.width !== camera.width || found.height !== camera.height) && (
                    <Button small className="above-4" onClick={() => onResize(camera.width, camera.height)}>
                      Resize theirs to {camera.width} x {camera.height}
                    </Button>
                  )}
                </div>
              ) : (
                <div className="map-reason">
                  {isOut ? <p>Neither source’s goes into the result.</p> : <p>Nothing of theirs is alike.</p>}
                  <LineFaults faults={findLineFaults(faults, place, 'cameras', camera.name)} />
                </div>
              )}
            </li>
          )
        })}
        {spare.map(({ camera, isLeftOut }) => (
          <li key={camera.name} className="map-line" data-off={isLeftOut}>
            <div className="map-pictures">
              <span className="map-no-picture small dim">not ours</span>
              <Icon name="right" small />
              <Shot dataset={other.dataset} camera={camera} side="Theirs" />
            </div>
            <div>
              <span className="label">Only theirs</span>
              {isLeftOut ? (
                <span className="mid">{shortName(camera.name)} is left out</span>
              ) : (
                <Button small onClick={() => onChange(leaveOutCamera(map, camera.name))}>
                  Leave {shortName(camera.name)} out
                </Button>
              )}
            </div>
            <div className="map-reason">
              {!isLeftOut && (
                <p>
                  {suggested.rows.find(({ kind, theirs: name }) => kind === 'camera' && name === camera.name)?.reason ??
                    'Ours has no such camera.'}
                </p>
              )}
              <LineFaults faults={isLeftOut ? [] : findLineFaults(faults, place, 'cameras', camera.name)} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Inside the shortest episode, so that every episode has it. */
const findMiddle = ({ statistics, metrics }: Manifest): number =>
  Math.floor(statistics.shortest_episode_sec * metrics.fps * 0.4)

function Shot({ dataset, camera, side }: { dataset: Manifest; camera: MergedCamera; side: string }) {
  return (
    <figure>
      <Poster
        dataset={dataset}
        episode={0}
        camera={camera.source}
        frame={findMiddle(dataset)}
        alt={`${side}: ${shortName(camera.name)} of ${dataset.title}`}
        className="thumb map-picture"
      />
      <figcaption className="clip" title={`${camera.name}, ${camera.width} x ${camera.height}`}>
        {shortName(camera.name)}
      </figcaption>
    </figure>
  )
}
