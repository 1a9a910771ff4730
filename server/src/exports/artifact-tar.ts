import { BoundedMap } from '@nmp/formats/bounded-map'
import type { Context } from '../context.ts'
import { listStoredFiles } from '../datasets/stored-files.ts'
import { notFound, ServiceError } from '../errors.ts'
import { checkMediaSignature, type GivenSignature, signMediaUrl } from '../media/urls.ts'
import { planTar, type Tar } from '../storage/serving/tar.ts'
import { artifactOwner, filesPrefix } from '../versions/owners.ts'
import { getVersion, type Version } from '../versions/service.ts'
import { listCameras, orderFiles } from './tar-order.ts'

/** The tar of an artifact that is stored file by file: made from the files while it is sent, as that of a dataset is. */

/** What a signature of a tar names. */
export interface TarAddress {
  versionId: string
  /** Of the tar that the link was made for: an artifact that was made anew since is another. */
  checksum: string
  key: string
}

const resourceOf = ({ versionId, checksum, key }: TarAddress) =>
  ({ kind: 'artifact', datasetId: versionId, revisionId: checksum, parameters: { key } }) as const

export function signTar(
  context: Context,
  address: TarAddress,
  expiresInSeconds: number,
): { url: string; expiresAt: Date } {
  const expires = Math.ceil(Date.now() / 1000 + expiresInSeconds)
  const url = signMediaUrl(context, { ...resourceOf(address), access: 'private' }, expires)
  return { url, expiresAt: new Date(expires * 1000) }
}

/** What a link leads to; refused where its signature does not hold, or the artifact is not there any more as it was. */
export async function openTar(
  context: Context,
  address: TarAddress,
  given: GivenSignature,
): Promise<{ version: Version; tar: Tar }> {
  checkMediaSignature(context, resourceOf(address), given)
  const version = await getVersion(context.db, address.versionId)
  const artifact = version.artifacts.find(({ key }) => key === address.key)
  if (artifact?.status !== 'ready' || artifact.checksumSha256 !== address.checksum) throw notFound()
  return { version, tar: await recallPlan(context, version, { ...address, sizeBytes: artifact.sizeBytes }) }
}

/** A download is hundreds of ranges, and a form may have a file for each episode: the same tar is planned once. */
const rememberedPlans = 4
const rememberedPieces = 20_000
const plans = new WeakMap<Context, BoundedMap<string, Tar>>()

async function recallPlan(
  context: Context,
  version: Version,
  { checksum, key, sizeBytes }: TarAddress & { sizeBytes: number | null },
): Promise<Tar> {
  const remembered = plans.get(context) ?? new BoundedMap<string, Tar>(rememberedPlans)
  plans.set(context, remembered)
  const name = `${version.id} ${key} ${checksum}`
  const tar = remembered.get(name) ?? (await planArtifact(context, version, key))
  if (tar.sizeBytes !== sizeBytes)
    throw new ServiceError('conflict', 'The files of the artifact are not those that it was made of. Export it again.')
  if (tar.pieces.length <= rememberedPieces) remembered.set(name, tar)
  return tar
}

async function planArtifact({ db }: Context, version: Version, key: string): Promise<Tar> {
  const place = { owner: artifactOwner(version.id, version.orgId), prefix: filesPrefix(key) }
  const files = await Array.fromAsync(listStoredFiles(db, place))
  const cameras = key === 'lerobot' ? listCameras(files.map(({ path }) => path)) : []
  const placed = orderFiles(files, cameras).map(({ path, sizeBytes, storeKey }) => {
    return { path: `${key}/${path}`, sizeBytes, storeKey }
  })
  return planTar(placed)
}
