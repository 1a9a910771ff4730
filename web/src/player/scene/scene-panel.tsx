import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type FeatureStatistics, featureStatisticsQuery, type Manifest } from '../../data/dataset.ts'
import { listPlaces } from '../../data/episodes/hand-path.ts'
import { findPlaceDimensions, suggestJoints, toModelValue } from '../../data/episodes/joint-map.ts'
import { findNearest } from '../../data/episodes/lanes.ts'
import {
  findRobot,
  isWebAddress,
  type RobotJoint,
  robotChoiceQuery,
  robotFileQuery,
  robotsQuery,
} from '../../data/robots.ts'
import { describe } from '../../parts/faults.ts'
import { canEdit } from '../../session/workspace.ts'
import type { PlayerClock } from '../clock.ts'
import { listLaneColumns, useRows } from '../lanes/use-rows.ts'
import { AddRobot } from './add-robot.tsx'
import { JointList } from './joint-list.tsx'
import { openRobotFiles } from './robot-model.ts'
import { buildRobot, openScene, type RobotScene } from './robot-scene.ts'
import './scene-panel.css'

interface ScenePanelProps {
  dataset: Manifest
  episode: number
  clock: PlayerClock
  onClose(): void
}

/** Of a long episode the exact rows come in pieces, around the frame that is shown. */
const pieceFrames = 1024

/** Which column says where the hand is, and which of its numbers. */
function findPose(features: readonly FeatureStatistics[] | undefined) {
  for (const { name, names, shape } of features ?? []) {
    if (!name.startsWith('observation.') || shape.length !== 1) continue
    const all = names ?? Array.from({ length: shape[0] ?? 0 }, (_, place) => String(place))
    const dimensions = findPlaceDimensions(name, all)
    if (dimensions) return { name, dimensions }
  }
  return undefined
}

/** The robot as its joints stand at the frame, and the way of its hand. What is drawn is also said: the list of joints. */
export function ScenePanel({ dataset, episode, clock, onClose }: ScenePanelProps) {
  const robots = useQuery(robotsQuery(dataset))
  const choice = useQuery(robotChoiceQuery(dataset))
  const robot = findRobot(robots.data, choice.data, dataset.robot_type)
  const file = useQuery(robotFileQuery(dataset, robot))
  const built = useQuery({
    queryKey: ['robot-built', robot?.id],
    queryFn: async () => {
      if (!robot || !file.data) throw new Error('no model')
      return buildRobot(await openRobotFiles(robot.kind, file.data))
    },
    enabled: robot !== undefined && file.data !== undefined,
    // A scene owns what it draws: the next panel builds it anew.
    gcTime: 0,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const features = useQuery(featureStatisticsQuery(dataset.id))
  const state = dataset.observation.state
  const [piece, setPiece] = useState(0)
  const columns = useMemo(() => listLaneColumns(dataset), [dataset])
  const [from, to] = [piece * pieceFrames, Math.min(clock.last, (piece + 1) * pieceFrames - 1)]
  const { rows } = useRows({ dataset, episode, columns, frames: clock.frames, from, to })
  const pose = useMemo(() => findPose(features.data), [features.data])
  const poseColumns = useMemo(() => (pose ? [pose.name] : []), [pose])
  const { rows: poseRows } = useRows({ dataset, episode, columns: poseColumns, frames: clock.frames, from, to })

  const given = choice.data?.robot_id === robot?.id ? choice.data?.joints : undefined
  const stored = given?.length ? given : undefined
  const suggested = useMemo(() => {
    const measured = features.data?.find(({ name }) => name === state?.key)
    const farthest = (measured?.max ?? []).map((high, at) =>
      Math.max(Math.abs(high), Math.abs(measured?.min?.[at] ?? 0)),
    )
    return built.data && features.data ? suggestJoints(built.data.joints, state?.names ?? [], farthest) : undefined
  }, [built.data, features.data, state])
  const joints: readonly RobotJoint[] | undefined = stored ?? suggested

  const canvas = useRef<HTMLCanvasElement>(null)
  const scene = useRef<RobotScene>(undefined)
  const angles = useRef<HTMLDListElement>(null)
  const place = useRef<HTMLSpanElement>(null)
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    if (!canvas.current) return
    try {
      scene.current = openScene(canvas.current)
    } catch {
      setFault('This browser draws no 3D here (WebGL is off); the joints are listed all the same.')
      return
    }
    return () => {
      scene.current?.close()
      scene.current = undefined
    }
  }, [])
  const drawn = built.data?.robot
  useEffect(() => scene.current?.setRobot(drawn), [drawn])
  const path = useMemo(() => {
    const values: (number | null)[][] | undefined = poseRows?.series.find(({ name }) => name === pose?.name)?.values
    // Of a long episode the rows are first peaks of each number by itself, and no places; then those around the frame come.
    if (!values || !pose || poseRows?.is_decimated) return []
    return listPlaces(values, pose.dimensions)
  }, [poseRows, pose])
  useEffect(() => scene.current?.setPath(path), [path])

  useEffect(() => {
    const numbers = rows?.series.find(({ name }) => name === state?.key)?.values
    const about = rows?.is_decimated ? 'about ' : ''
    return clock.onFrame((frame) => {
      setPiece(Math.floor(frame / pieceFrames))
      if (rows && numbers && joints) {
        const at = findNearest(rows.frame_index, frame)
        for (const { joint, dimension, unit } of joints) {
          const value = numbers[dimension]?.[at]
          const item = angles.current?.querySelector(`[data-joint="${CSS.escape(joint)}"]`)
          if (item)
            item.textContent = value === null || value === undefined ? 'unknown' : `${about}${value.toFixed(2)} ${unit}`
          if (typeof value === 'number') drawn?.setJointValue(joint, toModelValue(value, unit))
        }
      }
      const hand = poseRows && path[findNearest(poseRows.frame_index, frame)]
      scene.current?.setHand(hand)
      if (place.current) place.current.textContent = hand?.map((one) => one.toFixed(3)).join(', ') ?? 'no place known'
      scene.current?.draw()
    })
  }, [clock, rows, poseRows, joints, drawn, path, state])

  const error = robots.error ?? choice.error ?? file.error ?? built.error
  const isKnown = dataset.role === null || (robots.data !== undefined && choice.data !== undefined)
  const mayEdit = canEdit(dataset.role)
  return (
    <section className="scene-panel" aria-label="3D">
      <div className="scene-view">
        <canvas
          ref={canvas}
          className="scene-canvas"
          aria-label="The robot at this frame; drag to turn it"
          role="img"
        />
        <span className="osd top-left">
          <b>{robot?.name ?? '3D'}</b>
          {path.length > 0 && pose && ` way of ${pose.name.replace(/^observation\./, '')}`}
        </span>
        <button type="button" className="osd top-right pressed" onClick={onClose}>
          Close <span className="visually-hidden">3D</span>
        </button>
      </div>
      <div className="scene-side">
        {fault && <p className="small mid">{fault}</p>}
        {error && <p className="small text-flag">The model cannot be shown: {describe(error)}</p>}
        {built.data && built.data.missing.length > 0 && (
          <details className="small">
            <summary>
              {built.data.missing.length === 1
                ? '1 mesh is not drawn'
                : `${built.data.missing.length} meshes are not drawn`}
            </summary>
            {built.data.missing.slice(0, 20).map((one) => (
              <p key={one} className="mid break-anywhere">
                {one}
              </p>
            ))}
          </details>
        )}
        {isKnown && !robot && (
          <p className="small mid">
            {dataset.role === null
              ? 'Models of robots are shown to people of the project.'
              : `No model of ${dataset.robot_type ?? 'this robot'} in the project.`}
            {path.length > 0 && ' The line is the way of its hand.'}
          </p>
        )}
        {isKnown && !robot && dataset.robot_description_uri && (
          <p className="small mid">
            The dataset names its model: <span className="mono break-anywhere">{dataset.robot_description_uri}</span>
            {mayEdit &&
              !isWebAddress(dataset.robot_description_uri) &&
              ' That is no address of the web; upload it here.'}
          </p>
        )}
        {path.length > 0 && (
          <p className="small mid">
            Hand at <span ref={place} className="mono" data-testid="hand-place" />
          </p>
        )}
        {built.data && joints && (
          <JointList
            ref={angles}
            dataset={dataset}
            robotId={robot?.id ?? ''}
            model={built.data.joints}
            joints={joints}
            isSuggested={stored === undefined}
            mayEdit={mayEdit}
          />
        )}
        {isKnown && mayEdit && <AddRobot dataset={dataset} robots={robots.data ?? []} robot={robot} />}
      </div>
    </section>
  )
}
