import { randomUUID } from 'node:crypto'

const tus = { 'tus-resumable': '1.0.0' }

/** A small file as a finished upload of whoever the bearer is; its id. */
export async function uploadText(
  url: string,
  bearer: string,
  name: string,
  text: string | Uint8Array,
): Promise<string> {
  const body = Buffer.from(text)
  const headers = { ...tus, authorization: `Bearer ${bearer}` }
  const metadata = `filename ${Buffer.from(name).toString('base64')}`
  const made = await fetch(`${url}/api/v1/uploads`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(body.length), 'upload-metadata': metadata },
  })
  const location = new URL(made.headers.get('location') ?? '', url)
  await fetch(new URL(location.pathname, url), {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body,
  })
  return location.pathname.split('/').at(-1) || 'none'
}

interface Place {
  url(): string
  projectPath(): string
  getDatasetId(): Promise<string>
  /** An address that serves a URDF, and the path of a dataset that is to name it. */
  getNamed(): Promise<{ address: string; datasetPath: string }>
  bearerOf(who: string): string
  call(who: string, method: string, path: string, body: unknown): Promise<{ body: { item: { id: string } } }>
}

/** Requests for robot models that would succeed, for the table of permissions. */
export function makeRobotRequests({ url, projectPath, getDatasetId, getNamed, bearerOf, call }: Place) {
  const newRobot = async (who: string) => ({
    name: randomUUID(),
    upload_id: bearerOf(who) ? await uploadText(url(), bearerOf(who), 'arm.urdf', '<robot name="arm"/>') : 'none',
  })
  const addRobot = async () =>
    (await call('oadm', 'POST', `${projectPath()}/robots`, await newRobot('oadm'))).body.item.id
  return {
    createRobot: async (who: string) => ({ body: await newRobot(who) }),
    getRobotFile: async () => ({ params: { robot_id: await addRobot() } }),
    deleteRobot: async () => ({ params: { robot_id: await addRobot() } }),
    putDatasetRobot: async () => ({
      params: { dataset_id: await getDatasetId() },
      body: { robot_id: await addRobot(), joints: [{ joint: 'shoulder', dimension: 0, unit: 'deg' }] },
    }),
    useNamedRobot: async () => {
      const { address, datasetPath } = await getNamed()
      await call('oadm', 'PATCH', datasetPath, { robot_description_uri: address })
      return { params: { dataset_id: await getDatasetId() } }
    },
  }
}
