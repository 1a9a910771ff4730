import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { files, floors, imports, listSteps, sources, textOf } from './import-graph.ts'

const root = import.meta.dirname

/** A package, and the only places that may import it. */
const homes: { packages: RegExp; allowed: RegExp }[] = [
  { packages: /^(fastify|@fastify\/.*)$/, allowed: /^server\/src\/http\// },
  {
    packages: /^(kysely|pg|pg-copy-streams)$/,
    allowed:
      /^(server\/src\/(db|jobs)\/|server\/src\/(.*\/)?(repository|tables)\.ts$|server\/src\/admin\/(backup|move-rows)|bench\/)/,
  },
  { packages: /^@aws-sdk\//, allowed: /^server\/src\/storage\/s3/ },
  { packages: /^(oidc-provider|jose|uqr)$/, allowed: /^(server\/src\/identity\/|e2e\/outside-issuer\.ts$)/ },
  { packages: /^@simplewebauthn\//, allowed: /^server\/src\/identity\/passkeys\// },
  { packages: /^@tus\//, allowed: /^server\/src\/uploads\// },
  { packages: /^nodemailer$/, allowed: /^server\/src\/notifications\/mail\.ts$/ },
  { packages: /^tar-stream$/, allowed: /^server\/src\/(backups\/archive\.ts|admin\/backup|imports\/archives\/)/ },
  { packages: /^yauzl$/, allowed: /^server\/src\/imports\/archives\// },
  {
    packages: /^(h5wasm.*|@duckdb\/.*|sharp|apache-arrow|mediabunny|hysnappy|yaml)$/,
    allowed: /^(formats\/src\/containers\/|bench\/)/,
  },
  { packages: /^koffi$/, allowed: /^formats\/src\/containers\/child\// },
  { packages: /^node-av(\/.*)?$/, allowed: /^formats\/src\/containers\/codec/ },
  {
    // Files are parsed in children of the one runner; the others run PostgreSQL, the worker beside the API, git, and what a person's shell needs.
    packages: /^node:child_process$/,
    allowed:
      /^(formats\/src\/containers\/child\/(process|probe|code-cache)|server\/src\/(db\/[\w-]+|platform\/commit|worker-process)|cli\/src\/commands\/check)\.ts$|^(sdk|cli|web)\/build\.ts$|^(bench|e2e|fixtures|tools|web)\/|\.mjs$|\.contract\.ts$/,
  },
  {
    packages: /^node:worker_threads$/,
    allowed:
      /^server\/src\/(answering-thread|demo\/(make-entry|service)|exports\/pack-(entry|thread)|http\/bodies\/(json|yaml)-entry|imports\/prepare\/fingerprint(-entry|s-beside)|request-(entry|thread)|storage\/serving\/hash-(entry|thread)|versions\/preview\/measure-entry)\.ts$|^bench\//,
  },
]

/** Who may import whom: files of `from` import nothing that matches `never`. */
const walls: { from: RegExp; never: RegExp; why: string }[] = [
  {
    from: /^formats\//,
    never: /^(server|e2e|bench|cli|web|sdk)\/|^@nmp\/(?!formats)/,
    why: 'formats knows nothing of ours',
  },
  {
    from: /^e2e\//,
    never: /^(server|formats|bench)\/|^@nmp\/(server|formats)/,
    why: 'e2e speaks to the program from outside',
  },
  { from: /^server\//, never: /^(e2e|bench|cli|web|sdk)\//, why: 'the server serves; it does not know its clients' },
  {
    from: /^sdk\//,
    never: /^(server|formats|e2e|bench|cli|web)\/|^@nmp\//,
    why: 'the client library knows nothing of ours: openapi.json is all it is made from',
  },
  {
    from: /^cli\//,
    never: /^(server|formats|e2e|bench|web|sdk)\/|^@nmp\/(?!sdk\/)/,
    why: 'the command speaks through the client library',
  },
  {
    from: /^sdk\/src\/(?!node-)/,
    never: /^node:|^sdk\/src\/node-/,
    why: 'the client library runs in browsers, but for its node- files',
  },
  { from: /^server\/src\/.*routes\.ts$/, never: /repository\.ts$/, why: 'routes go through a service' },
  { from: /^server\/src\/db\//, never: /\/(service|routes|repository)\.ts$/, why: 'the database layer knows no noun' },
  {
    from: /^server\/src\/jobs\//,
    never: /^server\/src\/(imports|exports|versions|catalog|datasets)\//,
    why: 'jobs know nouns through the registry only',
  },
]

const nounOf = (file: string): string | undefined => /^server\/src\/([\w-]+)\//.exec(file)?.[1]

describe('imports', () => {
  test.each(homes)('$packages only where it lives', ({ packages, allowed }) => {
    expect(imports.filter((one) => !one.isTypeOnly && packages.test(one.target) && !allowed.test(one.file))).toEqual([])
  })

  test.each(walls)('$why', ({ from, never }) => {
    expect(imports.filter((one) => !one.isTypeOnly && from.test(one.file) && never.test(one.target))).toEqual([])
  })

  test("a repository is imported by its own noun only: others call the noun's service", () => {
    const foreign = imports.filter(
      ({ file, target, isTypeOnly }) =>
        !isTypeOnly && nounOf(file) && target.endsWith('repository.ts') && nounOf(file) !== nounOf(target),
    )
    expect(foreign).toEqual([])
  })

  test('the environment is read in one place', () => {
    const readers = sources.filter((file) => file.startsWith('server/src/') && /process\.env\b/.test(textOf(file)))
    expect(readers).toEqual(['server/src/config.ts'])
    const others = sources.filter(
      (file) => /^(formats|sdk|cli)\/src\//.test(file) && /process\.env\b/.test(textOf(file)),
    )
    expect(others).toEqual(['cli/src/settings.ts'])
  })
})

/** The rows of the table in ARCHITECTURE.md that are about whole folders: each with the paths that its sources may import. */
const mayImport = [...textOf('ARCHITECTURE.md').matchAll(/^\| `([a-z0-9]+)` \| (.*) \|$/gm)].map(
  ([, folder = '', rule = '']): [string, string[]] => {
    const [folders = '', files = ''] = rule.split('; of `e2e` only ')
    const named = (text: string): string[] => [...text.matchAll(/`([\w.-]+)`/g)].map(([, name = '']) => name)
    return [folder, [folder, ...named(folders), ...named(files).map((file) => `e2e/${file}`)]]
  },
)

describe('who may import whom', () => {
  test('the table has a row for every folder with sources', () => {
    const folders = new Set(
      imports.map(({ file }) => file.split('/')[0] ?? '').filter((folder) => !folder.includes('.')),
    )
    expect(mayImport.map(([folder]) => folder).sort()).toEqual([...folders].sort())
  })

  test.each(mayImport)('%s', (folder, allowed) => {
    const ours = mayImport.map(([name]) => name)
    const foreign = imports
      .filter(({ file, isTypeOnly }) => !isTypeOnly && file.startsWith(`${folder}/`))
      .map(({ file, target }) => ({ file, path: target.replace(/^@nmp\//, '') }))
      .filter(({ path }) => ours.includes(path.split('/')[0] ?? ''))
      .filter(({ path }) => !allowed.some((start) => path === start || path.startsWith(`${start}/`)))
    expect(foreign).toEqual([])
  })
})

describe('floors', () => {
  test.each(Object.entries(floors))('%s: values come from below', (base, order) => {
    const level = (room: string): number =>
      room === 'ground' ? -1 : room === 'roof' ? order.length : order.indexOf(room)
    const folders = readdirSync(join(root, base), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).sort()).toEqual([...order].sort())
    const up = listSteps(base).filter(({ from, to }) => level(to) > level(from))
    expect(up.map((step) => `${step.import.file} -> ${step.import.target}`)).toEqual([])
  })

  test('a page of the console imports no page', () => {
    const shared = new Set(['ground', 'session', 'parts', 'data', 'publishing', 'episode', 'version', 'browsing'])
    const across = listSteps('web/src').filter(({ from, to }) => !shared.has(to) && from !== 'app' && from !== 'roof')
    expect(across.map((step) => `${step.import.file} -> ${step.import.target}`)).toEqual([])
  })

  test.each(Object.entries(floors))('%s: types come from below too, but for the registry of tables', (base, order) => {
    const level = (file: string): number =>
      file.startsWith(`${base}/`) ? order.indexOf(file.slice(base.length + 1).split('/')[0] ?? '') : -1
    const up = imports.filter(
      ({ file, target }) => level(file) >= 0 && level(target) > level(file) && file !== 'server/src/db/schema.ts',
    )
    expect(up).toEqual([])
  })

  test('no file imports itself by a circle, of types neither; what context.ts names may name it', () => {
    const next = new Map<string, string[]>()
    for (const { file, target } of imports)
      if (file !== 'server/src/context.ts') next.set(file, [...(next.get(file) ?? []), target])
    const done = new Set<string>()
    const circles: string[] = []
    const visit = (file: string, way: string[]): void => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' -> '))
      if (done.has(file)) return
      done.add(file)
      for (const target of next.get(file) ?? []) visit(target, [...way, file])
    }
    for (const file of next.keys()) visit(file, [])
    expect(circles).toEqual([])
  })
})

describe('functions', () => {
  const typeKeys = new Set(['typeAnnotation', 'returnType', 'typeArguments', 'typeParameters'])

  /** Place and parameter count of every function in a file, methods and constructors too. */
  const listFunctions = (file: string): { place: string; parameterCount: number }[] => {
    const text = textOf(file)
    const found: { place: string; parameterCount: number }[] = []
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      const { type, params, start } = node as { type?: string; params?: unknown[]; start?: number }
      if (params && /Function|TSMethodSignature|TSConstruct/.test(type ?? ''))
        found.push({ place: `${file}:${text.slice(0, start).split('\n').length}`, parameterCount: params.length })
      for (const [key, value] of Object.entries(node)) if (!typeKeys.has(key)) visit(value)
    }
    visit(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }).body)
    return found
  }

  test('take at most five positional parameters: more become one object with names', () => {
    const all = sources.flatMap(listFunctions)
    expect(all.length).toBeGreaterThan(7_000)
    expect(all.filter(({ parameterCount }) => parameterCount > 5)).toEqual([])
  })
})

test('the face of formats lists what others import, and nothing else', () => {
  const { exports } = JSON.parse(textOf('formats/package.json')) as { exports: Record<string, string> }
  const used = new Set(
    files
      .filter((file) => !file.startsWith('formats/'))
      .flatMap((file) =>
        [...textOf(file).matchAll(/['"]@nmp\/formats\/([\w/-]+)['"]/g)].map(([, name]) => `./${name}`),
      ),
  )
  expect(Object.keys(exports)).toEqual([...used].sort())
})

describe('registries are complete', () => {
  test('every routes.ts is in server/src/routes.ts', () => {
    const list = textOf('server/src/routes.ts')
    const missing = sources.filter(
      (file) =>
        /\/routes\.ts$/.test(file) &&
        file !== 'server/src/routes.ts' &&
        !list.includes(`./${file.slice('server/src/'.length)}`),
    )
    expect(missing).toEqual([])
  })

  test('every tables.ts is in server/src/db/schema.ts', () => {
    const list = textOf('server/src/db/schema.ts')
    const missing = sources.filter(
      (file) => /^server\/.*\/tables\.ts$/.test(file) && !list.includes(`../${file.slice('server/src/'.length)}`),
    )
    expect(missing).toEqual([])
  })
})

test('ARCHITECTURE.md names every folder of the tree', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const folders = (path: string): string[] =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && !['node_modules', 'dist'].includes(entry.name) && !entry.name.startsWith('.'),
      )
      .map((entry) => entry.name)
  const wanted = [...folders('.'), ...folders('server/src'), ...folders('formats/src')]
  expect(wanted.filter((name) => !page.includes(`${name}/`))).toEqual([])
})

describe('docs', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.md'),
  )
  const texts = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'deploy/README.md',
    ...pages.map((path) => `docs/${path}`),
  ]

  test('docs/README.md links to every page', () => {
    const index = textOf('docs/README.md')
    expect(pages.filter((path) => path !== 'README.md' && !index.includes(`](${path})`))).toEqual([])
  })

  test.each(texts)('links of %s lead somewhere', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)/g)]
    const headings = (file: string): string[] =>
      [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(
        ([, title = '']) =>
          `#${title
            .toLowerCase()
            .replace(/[^\w -]/g, '')
            .replaceAll(' ', '-')}`,
      )
    const lost = links.filter(([, path = '', anchor]) => {
      const file = path === '' ? page : join(dirname(page), path)
      return !existsSync(join(root, file)) || (anchor !== undefined && !headings(file).includes(anchor))
    })
    expect(lost.map(([link]) => link)).toEqual([])
  })
})

test('constants are written as other names are', () => {
  const capitals = files.flatMap((file) =>
    [...textOf(file).matchAll(/^\s*(?:export )?const ([A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{3,})\b/gm)].map(
      ([, name]) => `${file}: ${name}`,
    ),
  )
  expect(capitals).toEqual([])
})

test('fixtures/ is small, and its README names what is in it', () => {
  const folder = join(root, 'fixtures')
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const sizeBytes = all.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(sizeBytes).toBeLessThan(20e6)
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  const sets = ['lerobot', 'hdf5'].flatMap((kind) => readdirSync(join(folder, kind)))
  expect(sets.filter((name) => !page.includes(name))).toEqual([])
})

describe('lockfiles', () => {
  const lockfiles = ['', 'runtime/', 'tools/', 'e2e/', 'bench/'].map((folder) => `${folder}package-lock.json`)
  interface Locked {
    resolved?: string
    engines?: { node?: string }
    os?: string[]
    cpu?: string[]
    link?: boolean
    optionalDependencies?: Record<string, string>
    dependencies?: Record<string, string>
  }
  /** WebRTC, an optional part of node-av that its main entry never loads; it brings `ip` (CVE-2024-29415) and forty more packages. */
  const leftOut = ['node_modules/node-av: werift']
  const packagesOf = (file: string): [string, Locked][] =>
    Object.entries((JSON.parse(textOf(file)) as { packages: Record<string, Locked> }).packages)

  test.each(lockfiles)('%s names no registry', (file) => {
    expect(packagesOf(file).filter(([, { resolved, link }]) => resolved !== undefined && !link)).toEqual([])
  })

  test.each(lockfiles)(
    '%s has what each package asks for, binaries of linux and macOS on x64 and arm64 among it',
    (file) => {
      const packages = new Map(packagesOf(file))
      const find = (from: string, name: string): Locked | undefined => {
        const found = packages.get(`${from === '' ? '' : `${from}/`}node_modules/${name}`)
        if (found || from === '') return found
        return find(from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name)
      }
      const missing = [...packages].flatMap(([path, { dependencies, optionalDependencies }]) =>
        Object.keys({ ...dependencies, ...optionalDependencies })
          .filter((name) => find(path, name) === undefined)
          .map((name) => `${path}: ${name}`),
      )
      expect(missing).toEqual(file === 'package-lock.json' ? leftOut : [])
      expect(packages.has('node_modules/ip')).toBe(false)
    },
  )

  test('nothing that npm ci brings asks for more than Node 20', () => {
    const newer = packagesOf('package-lock.json').filter(([, { engines }]) => /^\D*2[1-9]/.test(engines?.node ?? ''))
    expect(newer.map(([path]) => path)).toEqual([])
  })
})

test('what deploy/ sets are settings of the program', () => {
  const settings = textOf('docs/operating.md')
  const charts = [
    'values.yaml',
    'templates/api.yaml',
    'templates/worker.yaml',
    'examples/small.yaml',
    'examples/usual.yaml',
    'examples/large.yaml',
  ]
  const deployed = ['deploy/Dockerfile', 'deploy/compose.yml', ...charts.map((name) => `deploy/helm/${name}`)]
  const named = new Set(deployed.flatMap((file) => textOf(file).match(/\bNMP_[A-Z0-9_]+/g) ?? []))
  expect(named.size).toBeGreaterThan(5)
  expect([...named].filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([])
})

test('every error code is used: the catalogue is what the service can say, and no more', () => {
  const catalogue = /const catalogue = \{([\s\S]*?)\n\}/.exec(textOf('server/src/errors.ts'))?.[1] ?? ''
  const codes = [...catalogue.matchAll(/^ {2}(\w+): \d+,$/gm)].map(([, code]) => code ?? '')
  const code = sources
    .filter((file) => file.startsWith('server/src/'))
    .map(textOf)
    .join('\n')
  expect(codes.length).toBeGreaterThan(20)
  expect(codes.filter((name) => !code.includes(`'${name}'`))).toEqual([])
})
