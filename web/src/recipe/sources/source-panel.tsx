import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { featureStatisticsQuery, type Manifest, useManifest } from '../../data/dataset.ts'
import {
  asSource,
  changeOther,
  leaveOutOwnCamera,
  listOwnLeftOut,
  type MergeDraft,
  type OtherSource,
  removeOther,
  setRobotType,
} from '../../data/recipe/merge-draft.ts'
import { suggestionQuery } from '../../data/recipe/merge-queries.ts'
import { changeMerge, emptyRecipe, type Recipe } from '../../data/recipe/recipe-draft.ts'
import type { RecipeTarget } from '../../data/recipe/recipe-target.ts'
import { chooseCamera, describeSide, listApart, type MergedSide } from '../../data/recipe/source-map.ts'
import { isVersionId } from '../../data/version-id.ts'
import { Button } from '../../parts/controls.tsx'
import { plural } from '../../parts/formats.ts'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import { CameraLines } from './camera-lines.tsx'
import { ColumnLines } from './column-lines.tsx'
import { LineFaults } from './map-reason.tsx'
import { OwnRecipe } from './own-recipe.tsx'
import type { SourceFault } from './source-faults.ts'
import { RobotLine, TaskLines } from './text-lines.tsx'
import { UnitConfirmation } from './unit-confirmation.tsx'

interface SourcePanelProps {
  dataset: Manifest
  target: RecipeTarget
  recipe: Recipe
  merge: MergeDraft
  /** Among the others. */
  place: number
  source: OtherSource
  faults: readonly SourceFault[]
}

/** How one source becomes part of the result: every line with what it rests on, to be corrected. */
export function SourcePanel(props: SourcePanelProps) {
  const { dataset, target, recipe, merge, place, source, faults } = props
  const { manifest, sides, failure } = useSides(dataset, recipe, source)
  const first = useSettled(recipe)
  const suggestion = useQuery(suggestionQuery(target.org, { ...target.source, recipe: first }, asSource(source)))
  const failed = failure ?? (suggestion.error ? suggestion : undefined)
  const change = (next: Partial<OtherSource>) => changeMerge(dataset.id, changeOther(merge, place, next))
  const lines = suggestion.data &&
    sides && { place: place + 1, ...sides, map: source.map, suggested: suggestion.data, faults }
  const { pinned } = source
  const older = pinned && manifest && pinned.revision_number !== manifest.revision_number ? pinned : undefined
  const changeMap = (map: OtherSource['map']) => change({ map })
  const elsewhere = faults.filter((fault) => fault.source === place + 1 && !(sides && hasLine(fault, sides)))
  return (
    <section aria-label={`Map of ${source.title}`}>
      <div className="row wrap above-8 below-8">
        <Link className="link semibold" to="/datasets/$datasetId" params={{ datasetId: source.dataset_id }}>
          {source.title}
        </Link>
        {manifest && (
          <span className="mid small">
            {isVersionId(source.dataset_id) ? 'version' : 'revision'} {manifest.revision_number},{' '}
            {plural(manifest.metrics.total_episodes, 'episode')}, {manifest.metrics.fps} fps
          </span>
        )}
        {older && manifest && (
          <>
            <span className="chip line">stays at revision {older.revision_number}</span>
            <Button
              small
              onClick={() => showToast(`${source.title} is taken as it is shown now`, change({ pinned: undefined }))}
            >
              Take revision {manifest.revision_number}
            </Button>
          </>
        )}
        <span className="end row">
          <Button
            small
            disabled={!suggestion.data}
            onClick={() =>
              showToast(
                `${source.title} is mapped as suggested`,
                change({ map: suggestion.data?.map ?? {}, isUnitConfirmed: false }),
              )
            }
          >
            As suggested
          </Button>
          <Button
            small
            onClick={() =>
              showToast(`${source.title} is no source any more`, changeMerge(dataset.id, removeOther(merge, place)))
            }
          >
            Remove
          </Button>
        </span>
      </div>
      <div className="small below-8">
        <LineFaults faults={elsewhere} />
      </div>
      {failed && <Failure error={failed.error} what="The source did not load" onRetry={() => void failed.refetch()} />}
      {!failed && !lines && <Skeleton rows={5} height={64} />}
      {sides && lines && (
        <>
          <OwnRecipe source={source} onChange={change} />
          <CameraLines
            {...lines}
            onChange={changeMap}
            leftOut={listOwnLeftOut(merge)}
            onChoose={(ours, theirs) => {
              const [own, their] = [sides.first.side.cameras, sides.other.side.cameras]
              const map = chooseCamera(source.map, their, own, ours, theirs ?? undefined)
              changeMerge(dataset.id, changeOther(leaveOutOwnCamera(merge, ours, theirs === null), place, { map }))
            }}
            onResize={(width, height) =>
              change({ recipe: { ...emptyRecipe, ...source.recipe, resize: { width, height, mode: 'fit' } } })
            }
          />
          <ColumnLines {...lines} onChange={changeMap} />
          <UnitConfirmation
            apart={listApart(source.map, sides.first.side.columns, sides.other.side.columns)}
            isConfirmed={source.isUnitConfirmed}
            onChange={(isUnitConfirmed) => change({ isUnitConfirmed })}
          />
          <TaskLines {...lines} onChange={changeMap} />
          <RobotLine {...lines} onChange={(robot) => changeMerge(dataset.id, setRobotType(merge, robot))} />
        </>
      )}
    </section>
  )
}

/** What both have to offer, each after its recipe. */
function useSides(dataset: Manifest, recipe: Recipe, source: OtherSource) {
  const manifest = useManifest(source.dataset_id)
  const ours = useQuery(featureStatisticsQuery(dataset.id))
  const theirs = useQuery(featureStatisticsQuery(source.dataset_id))
  const sides = useMemo(
    () =>
      manifest.data && ours.data && theirs.data
        ? {
            first: { dataset, side: describeSide(dataset, ours.data, recipe) },
            other: { dataset: manifest.data, side: describeSide(manifest.data, theirs.data, source.recipe) },
          }
        : undefined,
    [dataset, manifest.data, ours.data, theirs.data, recipe, source.recipe],
  )
  return { manifest: manifest.data, sides, failure: [manifest, ours, theirs].find(({ error }) => error !== null) }
}

interface Sides {
  first: { side: MergedSide }
  other: { side: MergedSide }
}

/** Shown at a line of the map or in the mixture; anything else is said above them. */
function hasLine({ path: [key, kind, name] }: SourceFault, { first, other }: Sides): boolean {
  if (key === 'weight' || key === 'sample') return true
  if (key !== 'map' || kind === undefined) return false
  if (kind === 'robot_type') return true
  if (kind === 'tasks') return name !== undefined
  return [first.side, other.side].some(({ cameras, columns }) =>
    [...(kind === 'cameras' ? cameras : columns)].some((one) => one.name === name),
  )
}
