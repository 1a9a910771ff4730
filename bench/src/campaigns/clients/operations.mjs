// What `@huggingface/hub` can do at the Hub door: operations.mjs ORG/NAME in a folder where it is installed; a JSON line for each operation.
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(join(process.cwd(), 'package.json'))
const hub = await import(pathToFileURL(require.resolve('@huggingface/hub')).href)
const { HF_ENDPOINT: hubUrl, HF_TOKEN: token, NMP_PREFIX: prefix } = process.env
const source = process.argv[2]
const org = source.split('/')[0]
const path = 'data/chunk-000/file-000.parquet'
const repo = { type: 'dataset', name: source }
const written = { type: 'dataset', name: `${org}/${prefix}-js` }
/** The client refuses tokens that do not begin with `hf_`; a `fetch` of one's own sends one all the same. */
const withToken = (url, options = {}) => {
  const isOurs = String(url).startsWith(hubUrl)
  const headers = new Headers(options.headers)
  if (isOurs) headers.set('authorization', `Bearer ${token}`)
  return fetch(url, { ...options, headers })
}
const given = { hubUrl, fetch: withToken }
const expect = (isTrue, what) => {
  if (!isTrue) throw Object.assign(new Error(`unexpected: ${what}`), { isWrong: true })
}

const operations = [
  ['`accessToken: "nmp_…"`', true, () => hub.whoAmI({ hubUrl, accessToken: token })],
  [
    '`whoAmI`, the token sent by a `fetch` of one’s own',
    false,
    async () => {
      const { auth } = await (await withToken(`${hubUrl}/api/whoami-v2`)).json()
      expect(auth.accessToken.role === 'write', auth)
    },
  ],
  [
    '`datasetInfo`',
    false,
    async () => {
      const info = await hub.datasetInfo({ ...given, name: source })
      expect(info.private === true, JSON.stringify(info))
    },
  ],
  [
    '`listDatasets`',
    false,
    async () => {
      const names = []
      for await (const { name } of hub.listDatasets({ ...given, search: { owner: org } })) names.push(name)
      expect(names.includes(`${org}/default.${source.split('/')[1]}`), names)
    },
  ],
  [
    '`listFiles`, recursive',
    false,
    async () => {
      const paths = []
      for await (const file of hub.listFiles({ ...given, repo, recursive: true })) paths.push(file.path)
      expect(paths.includes(path), paths)
    },
  ],
  [
    '`fileExists`, `fileDownloadInfo`, `downloadFile` by ranges',
    false,
    async () => {
      expect(await hub.fileExists({ ...given, repo, path }), 'no file')
      const info = await hub.fileDownloadInfo({ ...given, repo, path })
      const file = await hub.downloadFile({ ...given, repo, path })
      expect(file.size === info.size, info.size)
      expect((await file.slice(0, 4).text()) === 'PAR1', 'other bytes')
    },
  ],
  ['`createRepo`', false, () => hub.createRepo({ ...given, repo: written, private: true })],
  [
    '`uploadFiles`, small and large',
    false,
    async () => {
      const large = randomBytes(2_000_000)
      await hub.uploadFiles({
        ...given,
        repo: written,
        files: [
          { path: 'a.txt', content: new Blob(['small']) },
          { path: 'b.bin', content: new Blob([large]) },
        ],
      })
      const file = await hub.downloadFile({ ...given, repo: written, path: 'b.bin' })
      expect(Buffer.from(await file.arrayBuffer()).equals(large), 'other bytes')
    },
  ],
  ['`deleteFile`', false, () => hub.deleteFile({ ...given, repo: written, path: 'a.txt' })],
  [
    '`listCommits`',
    false,
    async () => {
      let count = 0
      for await (const _ of hub.listCommits({ ...given, repo: written })) count++
      expect(count === 2, count)
    },
  ],
  [
    '`createBranch`, `deleteBranch`',
    false,
    async () => {
      await hub.createBranch({ ...given, repo: written, branch: 'dev' })
      await hub.deleteBranch({ ...given, repo: written, branch: 'dev' })
    },
  ],
  [
    '`commit` as a pull request',
    true,
    () =>
      hub.commit({
        ...given,
        repo: written,
        title: 'look',
        isPullRequest: true,
        operations: [{ operation: 'addOrUpdate', path: 'c.txt', content: new Blob(['c']) }],
      }),
  ],
  ['`deleteRepo`', false, () => hub.deleteRepo({ ...given, repo: written })],
]

for (const [operation, isRefused, run] of operations) {
  let [outcome, words] = ['works', '']
  try {
    await run()
  } catch (error) {
    outcome = error.isWrong ? 'fails' : 'refused'
    words = `${error.name}${error.statusCode ? ` ${error.statusCode}` : ''}: ${error.message}`
      .split(' URL: ', 1)[0]
      .replaceAll(/\s+/g, ' ')
      .slice(0, 400)
  }
  console.log(JSON.stringify({ operation, outcome, words, isExpected: outcome === (isRefused ? 'refused' : 'works') }))
}
