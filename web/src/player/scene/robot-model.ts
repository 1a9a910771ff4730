import { readZip } from '../../data/read-zip.ts'

/** What a model's file holds: the description, and what it may refer to by path. */
export interface RobotFiles {
  urdf: string
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

/** Of several descriptions in a zip the one that lies highest, and of those the shortest name. */
export async function openRobotFiles(kind: 'urdf' | 'zip', bytes: Uint8Array<ArrayBuffer>): Promise<RobotFiles> {
  if (kind === 'urdf') return { urdf: new TextDecoder().decode(bytes), files: new Map() }
  const files = await readZip(bytes)
  const depth = (path: string) => path.split('/').length
  const [path] = [...files.keys()]
    .filter((one) => /\.urdf$/i.test(one) && !one.startsWith('__MACOSX/'))
    .sort((one, other) => depth(one) - depth(other) || one.length - other.length)
  if (path === undefined) throw new Error('The zip has no file that ends in .urdf. Expand a .xacro first.')
  return { urdf: new TextDecoder().decode(files.get(path)), files }
}

/** `package://arm/meshes/base.stl` and `../meshes/base.stl` are whatever file of the zip ends in most of that path. */
export function findMesh({ files }: RobotFiles, address: string): Uint8Array<ArrayBuffer> | undefined {
  const parts = address
    .replace(/^[a-z]+:\/\//i, '')
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
  for (let from = 0; from < parts.length; from++) {
    const ending = parts.slice(from).join('/')
    for (const [path, bytes] of files) if (path === ending || path.endsWith(`/${ending}`)) return bytes
  }
  return undefined
}
