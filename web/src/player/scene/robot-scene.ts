import {
  AmbientLight,
  Box3,
  BufferGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  GridHelper,
  Group,
  LineBasicMaterial,
  LineSegments,
  LoadingManager,
  type Material,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  PerspectiveCamera,
  Scene,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
} from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import URDFLoader, { type URDFRobot } from 'urdf-loader'
import { listPieces, type Place } from '../../data/episodes/hand-path.ts'
import type { ModelJoint } from '../../data/episodes/joint-map.ts'
import { findMesh, type RobotFiles } from './robot-model.ts'

export interface DrawnRobot {
  robot: URDFRobot
  joints: ModelJoint[]
  /** Meshes that could not be drawn, and why. */
  missing: string[]
}

const isMoving = new Set(['revolute', 'continuous', 'prismatic'])

/** Reads a description and its meshes. Nothing is fetched: what is not in the file is not drawn. */
export async function buildRobot(model: RobotFiles): Promise<DrawnRobot> {
  const manager = new LoadingManager()
  // Textures and meshes of other addresses would tell a stranger who looks at this.
  manager.setURLModifier((url) => (url.startsWith('blob:') ? url : 'data:,'))
  const loader = new URDFLoader(manager)
  const missing: string[] = []
  const waiting: Promise<void>[] = []
  loader.packages = (name) => `package://${name}`
  loader.loadMeshCb = (address, _manager, material, done) => {
    const load = async () => {
      try {
        done(await readMesh(model, address, material, manager))
      } catch (error) {
        missing.push(`${address}: ${error instanceof Error ? error.message : String(error)}`)
        done(new Group())
      }
    }
    waiting.push(load())
  }
  const robot = loader.parse(model.urdf)
  if (Object.keys(robot.links).length === 0) throw new Error('The file has no links: it is not a URDF.')
  await Promise.all(waiting)
  const joints = Object.values(robot.joints)
    .filter((joint) => isMoving.has(joint.jointType) && !('mimicJoint' in joint && joint.mimicJoint))
    .map((joint) => ({ name: joint.urdfName, isSliding: joint.jointType === 'prismatic' }))
  // A URDF has its z axis up.
  robot.rotation.x = -Math.PI / 2
  return { robot, joints, missing }
}

async function readMesh(
  model: RobotFiles,
  address: string,
  material: Material,
  manager: LoadingManager,
): Promise<Object3D> {
  const bytes = findMesh(model, address)
  if (!bytes) throw new Error('not in the file')
  const ending = address.slice(address.lastIndexOf('.') + 1).toLowerCase()
  if (ending === 'stl') {
    const { STLLoader } = await import('three/addons/loaders/STLLoader.js')
    return new Mesh(new STLLoader(manager).parse(bytes.slice().buffer), material)
  }
  const text = () => new TextDecoder().decode(bytes)
  if (ending === 'dae') {
    const { ColladaLoader } = await import('three/addons/loaders/ColladaLoader.js')
    const read = new ColladaLoader(manager).parse(text(), '')
    if (!read) throw new Error('not readable')
    return read.scene
  }
  if (ending === 'obj') {
    const { OBJLoader } = await import('three/addons/loaders/OBJLoader.js')
    return new OBJLoader(manager).parse(text())
  }
  throw new Error('only STL, DAE and OBJ are drawn')
}

export interface RobotScene {
  /** Draws once: nothing moves by itself. */
  draw(): void
  setRobot(robot: URDFRobot | undefined): void
  /** The way of the hand, in the robot's own axes; null where its place is not known. */
  setPath(places: readonly (Place | null)[]): void
  setHand(place: Place | null | undefined): void
  close(): void
}

/** Throws where the browser draws no 3D. */
export function openScene(canvas: HTMLCanvasElement): RobotScene {
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true })
  renderer.setPixelRatio(Math.min(2, devicePixelRatio))
  const scene = new Scene()
  const camera = new PerspectiveCamera(40, 1, 0.01, 100)
  camera.position.set(0.9, 0.7, 0.9)
  const light = new DirectionalLight(0xffffff, 2.2)
  light.position.set(1, 2, 1.5)
  scene.add(new AmbientLight(0xffffff, 1.2), light, new GridHelper(2, 20, 0x808080, 0x808080))
  const upright = new Group()
  upright.rotation.x = -Math.PI / 2
  scene.add(upright)
  const tint = (name: string) => new Color(getComputedStyle(canvas).getPropertyValue(name).trim() || '#888')
  const line = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: tint('--state') }))
  line.frustumCulled = false
  const hand = new Mesh(new SphereGeometry(0.012), new MeshStandardMaterial({ color: tint('--action') }))
  const retint = () => {
    line.material.color = tint('--state')
    hand.material.color = tint('--action')
    draw()
  }
  window.addEventListener('nmp-theme', retint)
  hand.visible = false
  upright.add(line, hand)
  const controls = new OrbitControls(camera, canvas)
  let shown: URDFRobot | undefined
  const draw = () => renderer.render(scene, camera)
  controls.addEventListener('change', draw)
  let hasWay = false

  /** The robot and the way of its hand. Another piece of the way, or that of another episode, leaves the view as it is. */
  const frameAll = () => {
    const box = new Box3()
    if (shown) box.expandByObject(shown)
    if (line.geometry.hasAttribute('position')) box.expandByObject(line)
    if (box.isEmpty()) return
    const size = Math.max(0.1, box.getSize(new Vector3()).length())
    const centre = box.getCenter(new Vector3())
    controls.target.copy(centre)
    camera.position.copy(centre).add(new Vector3(size, size * 0.7, size))
    camera.near = size / 100
    camera.far = size * 100
    camera.updateProjectionMatrix()
    controls.update()
  }
  const resize = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = canvas
    if (width === 0 || height === 0) return
    renderer.setSize(width, height, false)
    camera.aspect = width / height
    camera.updateProjectionMatrix()
    draw()
  })
  resize.observe(canvas)
  return {
    draw,
    setRobot(robot) {
      if (shown) scene.remove(shown)
      shown = robot
      if (robot) {
        scene.add(robot)
        frameAll()
      }
      draw()
    },
    setPath(places) {
      const pieces = listPieces(places)
      line.geometry.dispose()
      line.geometry = new BufferGeometry()
      line.geometry.setAttribute('position', new Float32BufferAttribute(pieces.flat(), 3))
      if (pieces.length > 0 && !hasWay) {
        hasWay = true
        frameAll()
      }
      draw()
    },
    setHand(place) {
      hand.visible = Boolean(place)
      if (place) hand.position.set(...place)
    },
    close() {
      window.removeEventListener('nmp-theme', retint)
      resize.disconnect()
      controls.dispose()
      line.geometry.dispose()
      renderer.dispose()
    },
  }
}
