/**
 * `npm run -s sbom`: the bill of materials of an installation (CycloneDX 1.5, JSON), `-- --without-codec` of one without the codec library.
 * From the lockfiles alone, so the same commit gives the same bytes; `SOURCE_DATE_EPOCH` adds a time. Ours and not `npm sbom`, which leaves
 * out packages that tests need, too (jose, vite, yaml), names the project after its folder, and knows nothing of what binaries hold.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPart, foreignFiles } from './binary-parts.ts'
import { codecWorkspace, isOurs, listPackages, type Package, programWorkspaces, root } from './lockfile.ts'

const ours = 'Apache-2.0'

export function makeSbom(withCodec: boolean) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const workspaces = withCodec ? [...programWorkspaces, codecWorkspace] : programWorkspaces
  const installed = listPackages('package-lock.json', workspaces)
  const runtime = listPackages('runtime/package-lock.json', ['']).filter((entry) => !isOurs(entry))
  const all = [...installed, ...runtime]
  const refs = new Map(all.map((entry) => [entry.place, describeRef(entry)]))
  const top = `pkg:npm/nmp@${version}`
  const listNeeds = (places: readonly string[]) => [...new Set(places.flatMap((place) => refs.get(place) ?? []))].sort()
  const seconds = process.env.SOURCE_DATE_EPOCH
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      ...(seconds ? { timestamp: new Date(Number(seconds) * 1000).toISOString() } : {}),
      component: { type: 'application', 'bom-ref': top, name: 'nmp', version, purl: top, licenses: stateLicence(ours) },
    },
    components: [...all.map((entry) => describePackage(entry)), ...foreignFiles.map(describeFile)].sort(byRef),
    dependencies: [
      { ref: top, dependsOn: listNeeds([...workspaces, ...runtime.map(({ place }) => place)]) },
      ...all.map((entry) => ({ ref: describeRef(entry), dependsOn: listNeeds(entry.needs) })).sort(byOwnRef),
    ],
  }
}

/** Two places may hold the same version of a package; each is a component. */
const describeRef = ({ place, name, version }: Package): string => {
  const purl = describePurl(name, version)
  return place === `node_modules/${name}` || isOurs({ place }) ? purl : `${purl}#${place}`
}

const describePurl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

function describePackage(entry: Package) {
  const { name, version, licence, integrity } = entry
  const part = findPart(name)
  return {
    type: 'library',
    'bom-ref': describeRef(entry),
    name,
    version,
    purl: describePurl(name, version),
    licenses: stateLicence(part?.licence ?? licence),
    ...(integrity ? { hashes: [describeHash(integrity)] } : {}),
    ...(part
      ? {
          externalReferences: [{ type: 'distribution', url: part.source }],
          components: part.holds.map((held) => ({
            type: 'library',
            name: held.name,
            ...(held.version ? { version: held.version } : {}),
            licenses: stateLicence(held.licence),
          })),
        }
      : {}),
  }
}

const describeFile = ({ path, name, licence, source }: (typeof foreignFiles)[number]) => ({
  type: 'file',
  'bom-ref': path,
  name,
  licenses: stateLicence(licence),
  hashes: [
    {
      alg: 'SHA-256',
      content: createHash('sha256')
        .update(readFileSync(join(root, path)))
        .digest('hex'),
    },
  ],
  externalReferences: [{ type: 'distribution', url: source }],
})

/** One licence by its identifier, several as an expression; what is neither by its words. */
function stateLicence(licence: string) {
  if (licence.startsWith('SEE LICENSE')) return [{ license: { name: licence } }]
  return licence.includes(' ') || licence.startsWith('LicenseRef-')
    ? [{ expression: licence }]
    : [{ license: { id: licence } }]
}

function describeHash(integrity: string) {
  const [, bits = '', content = ''] = /^sha(\d+)-(.+)$/.exec(integrity) ?? []
  return { alg: bits === '1' ? 'SHA-1' : `SHA-${bits}`, content: Buffer.from(content, 'base64').toString('hex') }
}

const byRef = (one: { 'bom-ref': string }, other: { 'bom-ref': string }) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1)
const byOwnRef = (one: { ref: string }, other: { ref: string }) => (one.ref < other.ref ? -1 : 1)

if (import.meta.main)
  process.stdout.write(`${JSON.stringify(makeSbom(!process.argv.includes('--without-codec')), null, 2)}\n`)
