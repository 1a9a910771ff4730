import { type HostileBody, listShapedBodies } from './body-shapes.ts'
import type { FloodSeed } from './flood-seed.ts'

const MiB = 1024 * 1024
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const repeat = (piece: (index: number) => string, bytes: number): string => {
  let text = ''
  for (let index = 0; text.length < bytes; index++) text += piece(index)
  return text.slice(0, text.lastIndexOf(','))
}

const keys = (bytes: number): string => repeat((index) => `"k${index.toString(36)}":1,`, bytes)
const nested = (bytes: number): string => `${'['.repeat(60)}${repeat(() => '[],', bytes)}${']'.repeat(60)}`
const list = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(',')

export function listHostileBodies({ bearer, org, project, dataset, datasetId, push }: FloodSeed): HostileBody[] {
  const own = { authorization: `Bearer ${bearer}` }
  const base = `/api/v1/orgs/${org}`
  const curated = `${base}/projects/${project}/datasets/${dataset}`
  const versions = `${base}/derived-dataset-versions`
  const repository = `/hf/api/datasets/${org}/${push}`
  const source = `"source":{"dataset_kind":"catalog","dataset_id":"${datasetId}"}`
  const api = (name: string, method: string, path: string, body: string): HostileBody => ({
    name,
    requests: [{ method, path, headers: { ...own, ...json }, body: Buffer.from(body) }],
  })
  const door = (name: string, path: string, body: string, headers: Record<string, string> = own): HostileBody => ({
    name,
    requests: [{ method: 'POST', path, headers, body: Buffer.from(body) }],
  })
  const draft = `/api/v1/users/me/recipe-drafts/${datasetId}`
  const merged = list(64, () => `{"dataset_kind":"catalog","dataset_id":"${datasetId}"}`)
  const indices = list(1_000_000, (index) => String(index))
  const places = { org_slug: org, project_slug: project, dataset_slug: dataset, dataset_id: datasetId }
  return [
    ...listShapedBodies(bearer, places),
    ...listDoorBodies(`/hf/api/datasets/${org}/${push}`, own),
    api('createToken, 128 KiB of unknown keys', 'POST', '/api/v1/users/me/tokens', `{${keys(0.12 * MiB)}}`),
    api('createToken, 3,900 empty lists', 'POST', '/api/v1/users/me/tokens', `{"name":[${list(1950, () => '[]')}]}`),
    api('previewVersion, 16 MiB of unknown keys', 'POST', `${versions}/preview`, `{"recipe":{${keys(15.9 * MiB)}}}`),
    api(
      'previewVersion, 1.9 million unknown keys and values',
      'POST',
      `${versions}/preview`,
      `{${source},"recipe":{${list(640_000, (index) => `"k${index}":1`)}}}`,
    ),
    api(
      'previewVersion, a million episodes',
      'POST',
      `${versions}/preview`,
      `{${source},"recipe":{"selected_episode_indices":[${indices}]}}`,
    ),
    api('previewVersion, 16 MiB of nested lists', 'POST', `${versions}/preview`, nested(15.9 * MiB)),
    api(
      'createVersion, a million episodes',
      'POST',
      versions,
      `{"slug":"flood","name":"x",${source},"recipe":{"excluded_episode_indices":[${indices}]}}`,
    ),
    api(
      'createAnnotationSet, 100,000 episodes',
      'POST',
      `${curated}/annotation-sets`,
      `{"name":"flood","episodes":[${list(100_000, (index) => `{"episode_index":${index},"task":"${'t'.repeat(40)}","tags":["a","b"],"success":true}`)}]}`,
    ),
    api(
      'putFlags, 2,000 with notes',
      'PUT',
      `${curated}/flags`,
      `{"items":[${list(2000, (index) => `{"episode_index":0,"reason":"idle","start_frame":${index},"end_frame":${index + 1},"note":"${'\\u00e4'.repeat(600)}"}`)}]}`,
    ),
    api(
      'createImport, 1 MiB of uploads',
      'POST',
      `${base}/projects/${project}/imports`,
      `{"source_kind":"lerobot","dataset_slug":"flood","upload_ids":[${list(20_000, (index) => `"upl_${String(index).padStart(32, '0')}"`)}]}`,
    ),
    api(
      'putDraft, a recipe of 1.9 million keys and values',
      'PUT',
      draft,
      `{"revision":1,"slug":"flood","name":"x","recipe":{"notes":[${list(950_000, () => '[]')}]}}`,
    ),
    api(
      'putDraft, a recipe of 15 MiB of escapes',
      'PUT',
      draft,
      `{"revision":1,"slug":"flood","name":"x","recipe":{"notes":"${'\\u00e4'.repeat(2.6 * MiB)}"}}`,
    ),
    api('previewMerge, 64 sources', 'POST', `${versions}/preview/merge`, `{"sources":[${merged}],"seed":1}`),
    api('previewSuggest, 64 sources', 'POST', `${versions}/suggest-map`, `{"sources":[${merged}]}`),
    api(
      'previewCuts, a million episodes',
      'POST',
      `${versions}/preview/cuts`,
      `{${source},"recipe":{"selected_episode_indices":[${indices}]}}`,
    ),
    api(
      'createReview, 100,000 episodes',
      'POST',
      `${base}/projects/${project}/reviews`,
      `{"dataset_id":"${datasetId}","name":"flood","episodes":[${list(100_000, (index) => String(index))}],"people":[]}`,
    ),
    api('putCard, 200,000 characters as escapes', 'PATCH', curated, `{"card_markdown":"${'\\u00e4'.repeat(199_000)}"}`),
    api(
      'deleteFlags, 2,000',
      'POST',
      `${curated}/flags/delete`,
      `{"ids":[${list(2000, (index) => `"flg_${String(index).padStart(32, '0')}"`)}]}`,
    ),
    door(
      'paths-info, 1 MiB of fields, nobody',
      `/hf/api/datasets/${org}/${dataset}/paths-info/main`,
      repeat(() => 'p&,', MiB * 1.4).replaceAll(',', ''),
      form,
    ),
    door(
      'paths-info, 1,000 long paths',
      `${repository}/paths-info/main`,
      list(1000, () => `paths=${'%C3%A4'.repeat(160)}`)
        .replaceAll(',', '&')
        .slice(0, MiB),
      { ...own, ...form },
    ),
    door(
      'paths-info, 1,000 paths within its bound',
      `${repository}/paths-info/main`,
      Array.from({ length: 1000 }, (_, index) => `paths=${'%C3%A4'.repeat(40)}${index}`).join('&'),
      { ...own, ...form },
    ),
    door('commit, a line of nested lists', `${repository}/commit/main`, nested(2 * MiB)),
    door('commit, 30 MiB of nested lists', `${repository}/commit/main`, nested(30 * MiB)),
    door(
      'commit, files of 1 MiB',
      `${repository}/commit/main`,
      `{"key":"header","value":{"summary":"x"}}\n${Array.from({ length: 8 }, (_, index) => `{"key":"file","value":{"path":"notes/${index}.txt","encoding":"base64","content":"${Buffer.alloc(MiB, index).toString('base64')}"}}`).join('\n')}`,
    ),
    door(
      'commit, 99,000 lines',
      `${repository}/commit/main`,
      Array.from({ length: 99_000 }, (_, index) => `{"key":"deletedFile","value":{"path":"notes/${index}"}}`).join(
        '\n',
      ),
    ),
    door(
      'commit, 99,000 folders deleted',
      `${repository}/commit/main`,
      Array.from({ length: 99_000 }, (_, index) => `{"key":"deletedFolder","value":{"path":"notes/${index}"}}`).join(
        '\n',
      ),
    ),
    door(
      'preupload, 1,000 files within its bound',
      `${repository}/preupload/main`,
      `{"files":[${list(1000, (index) => `{"path":"${'p'.repeat(900)}${index}","size":1,"sample":"${'QUFB'.repeat(170)}"}`)}]}`,
    ),
    door(
      'preupload, 1,000 files',
      `${repository}/preupload/main`,
      `{"files":[${list(1000, (index) => `{"path":"${'p'.repeat(900)}${index}","size":1,"sample":"${'QUFB'.repeat(700)}"}`)}]}`,
    ),
    door(
      'preupload, 2 MiB of escapes',
      `${repository}/preupload/main`,
      `{"files":[],"gitAttributes":"${'\\n'.repeat(0.95 * MiB)}"}`,
    ),
    door(
      'LFS batch, 1,000 objects',
      `/hf/datasets/${org}/${push}.git/info/lfs/objects/batch`,
      `{"operation":"upload","objects":[${list(1000, (index) => `{"oid":"${index.toString(16).padStart(64, '0')}","size":1}`)}]}`,
    ),
  ]
}

/** What the door takes as JSON on its other addresses, in bodies as large as they may be. */
function listDoorBodies(repository: string, own: Record<string, string>): HostileBody[] {
  const most = 127 * 1024
  const shapes = {
    escapes: `"${'\\u00e4'.repeat(most / 6)}"`,
    'empty lists': `[${list(1950, () => '[]')}]`,
    'keys and values': `{${list(1900, (index) => `"k${index}":1`)}}`,
  }
  const addresses: [method: string, path: string, field: string][] = [
    ['POST', '/hf/api/repos/create', 'name'],
    ['POST', '/hf/api/repos/move', 'fromRepo'],
    ['DELETE', '/hf/api/repos/delete', 'name'],
    ['POST', `${repository}/tag/main`, 'tag'],
    ['POST', `${repository}/branch/flood`, 'startingPoint'],
    ['POST', `${repository}/paths-info/main`, 'paths'],
    ['POST', `${repository}/preupload/main`, 'files'],
  ]
  return Object.entries(shapes).map(([shape, value]) => ({
    name: `door, ${shape} (${addresses.length} addresses)`,
    requests: addresses.map(([method, path, field]) => ({
      method,
      path,
      headers: { ...own, ...json },
      body: Buffer.from(`{"${field}":${value}}`),
    })),
  }))
}
