import type { HostileSource } from './import-door.ts'
import { escapeMark } from './leftovers.ts'
import { type Base, changeSet, files } from './lerobot-set.ts'

/** JSON as it is written, so that what JSON.stringify cannot say can be said too. */
type Written = string

const deep = (levels: number): Written => `${'['.repeat(levels)}${']'.repeat(levels)}`
const long = (length: number): Written => JSON.stringify('x'.repeat(length))
const numbers: Written[] = ['-1', '0', '0.5', '1e400', 'NaN', '9007199254740993', '"3"']
const anything: Written[] = ['null', '[]', '{}', deep(60), long(300_000)]
const paths: Written[] = [
  `../../${escapeMark}/{chunk_index}.parquet`,
  `/tmp/${escapeMark}-{episode_index:06d}`,
  'data/{__class__.__mro__}.parquet',
  'data/{episode_index:99999999999d}.parquet',
  'data/{unknown}.parquet',
  '{{{{{{',
  'data/\u0000.parquet',
  '%s%s%s%n',
].map((path) => JSON.stringify(path))

/** What stands at each place of meta/info.json instead. */
const infoPlaces: [place: string, values: Written[]][] = [
  ['codebase_version', ['"v9.9"', '"v2.1\\u0000"', '3', '[]']],
  ['total_episodes', numbers],
  ['total_frames', ['-1', '1e308']],
  ['total_tasks', ['-1', '"x"']],
  ['chunks_size', ['0', '-1', '1e308', 'null']],
  ['fps', ['-1', '0', '1e400', 'NaN', '1e-320', '1000000000000', 'null']],
  ['robot_type', [deep(60), long(300_000), '"\\ud800"', '7']],
  [
    'splits',
    ['[]', '{"train":"0:99999999999999999999"}', '{"train":"-1:5"}', '{"train":"3:0"}', '{"__proto__":"0:3"}'],
  ],
  ['data_path', [...paths, '7', 'null']],
  ['video_path', [...paths.slice(0, 3), '7']],
  ['features', anything],
  ['features.action', ['null', '[]', '{"dtype":"float32"}']],
  ['features.action.dtype', ['"float1024"', '"string"', '7', '"image"', '"video"']],
  ['features.action.shape', ['[]', '[-2]', '[0]', '[1e15]', '[65536,65536,65536]', '[2.5]', '"2"', deep(60)]],
  ['features.action.names', ['7', '["a"]', `{"motors":${deep(50)}}`, '["\\u0000","\\u202e"]', '["a","a"]']],
  ['features.timestamp.dtype', ['"int8"', '"video"']],
  ['features.episode_index.dtype', ['"float32"', '"uint8"']],
]

const byBase: Record<Base, Set<string> | undefined> = {
  'v2.1': undefined,
  // Where the two differ; what is read by the same code is tried once.
  'v3.0': new Set(['total_episodes', 'fps', 'data_path', 'video_path']),
}

const cameraPlaces: [place: string, values: Written[]][] = [
  ['shape', ['[0,0,3]', '[100000,100000,3]', '[48,64]', '[-48,64,3]', 'null']],
  ['info', ['null', '7', '{"video.fps":0,"video.height":1e9,"video.codec":"../x"}', deep(50)]],
]

const camera = 'observation.images.front'
/** Names of features: they become names of columns and of folders. */
const featureNames = [
  `../../../${escapeMark}`,
  `/etc/${escapeMark}`,
  `a\u0000${escapeMark}`,
  '__proto__',
  'constructor',
  '"; DROP TABLE datasets; --',
  "action' UNION SELECT * FROM read_text('/etc/passwd') --",
  '\u202eaction',
  'x'.repeat(5000),
  '',
]

const jsonLines: [file: 'episodes' | 'tasks' | 'statistics', name: string, text: string][] = [
  ['episodes', 'an episode twice', '{"episode_index":0,"tasks":["pick"],"length":4}\n'.repeat(3)],
  ['episodes', 'episodes out of reach', '{"episode_index":1000000000000,"tasks":["pick"],"length":4}'],
  ['episodes', 'a negative episode', '{"episode_index":-1,"tasks":["pick"],"length":4}'],
  ['episodes', 'half an episode', '{"episode_index":0.5,"tasks":["pick"],"length":4}'],
  ['episodes', 'an episode by name', '{"episode_index":"0","tasks":["pick"],"length":4}'],
  ['episodes', 'a length that lies', '{"episode_index":0,"tasks":["pick"],"length":4000000000}'],
  ['episodes', 'a negative length', '{"episode_index":0,"tasks":["pick"],"length":-4}'],
  ['episodes', 'a length without end', '{"episode_index":0,"tasks":["pick"],"length":1e400}'],
  ['episodes', 'a length that is no number', '{"episode_index":0,"tasks":["pick"],"length":NaN}'],
  ['episodes', 'tasks that are a text', '{"episode_index":0,"tasks":"pick","length":4}'],
  ['episodes', 'tasks that nest', `{"episode_index":0,"tasks":${deep(60)},"length":4}`],
  ['episodes', 'tasks that nobody lists', '{"episode_index":0,"tasks":["fly"],"length":4}'],
  ['episodes', 'ten thousand tasks', `{"episode_index":0,"tasks":[${'"pick",'.repeat(9999)}"pick"],"length":4}`],
  ['episodes', 'a task of a megabyte', `{"episode_index":0,"tasks":[${long(1 << 20)}],"length":4}`],
  ['episodes', 'no line end for four megabytes', `{"episode_index":0,${' '.repeat(4 << 20)}"length":4}`],
  ['episodes', 'a hundred thousand empty lines', '\n'.repeat(100_000)],
  ['episodes', 'lines that are lists', '[]\n[]\n[]'],
  ['episodes', 'a byte order mark, and CRLF', '\ufeff{"episode_index":0,"tasks":["pick"],"length":4}\r\n'],
  ['episodes', 'the same key twice', '{"episode_index":0,"episode_index":2,"tasks":["pick"],"length":4}'],
  ['episodes', 'a prototype', '{"__proto__":{"length":4},"episode_index":0,"tasks":["pick"]}'],
  ['tasks', 'a task twice', '{"task_index":0,"task":"pick"}\n{"task_index":0,"task":"place"}'],
  ['tasks', 'tasks out of reach', '{"task_index":4000000000000,"task":"pick"}'],
  ['tasks', 'a negative task', '{"task_index":-1,"task":"pick"}'],
  ['tasks', 'a task that is a list', '{"task_index":0,"task":[["pick"]]}'],
  ['tasks', 'a task that controls a terminal', '{"task_index":0,"task":"\\u001b]0;owned\\u0007\\u0000\\u202e"}'],
  ['tasks', 'half a surrogate', '{"task_index":0,"task":"\\ud83d"}\n{"task_index":1,"task":"place"}'],
  ['tasks', 'brackets without end', '['.repeat(1_000_000)],
  ['statistics', 'statistics that nest', `{"episode_index":0,"stats":${deep(60)}}`],
  [
    'statistics',
    'statistics without end',
    '{"episode_index":0,"stats":{"action":{"min":[1e400],"max":[-1e400],"mean":[NaN]}}}',
  ],
  ['statistics', 'statistics of nobody', '{"episode_index":99,"stats":{"x":{"min":"y"}}}'],
]

const texts: [file: 'info' | 'statistics', name: string, bytes: Buffer][] = [
  ['info', 'as UTF-16', Buffer.from('\ufeff{"codebase_version":"v3.0"}', 'utf16le')],
  ['info', 'as bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d])],
  ['info', 'as a list', Buffer.from('[{}]')],
  ['info', 'as 65 levels', Buffer.from(deep(65))],
  ['info', 'as 64 MB of spaces', Buffer.alloc(64 << 20, ' ')],
  ['info', 'with a hundred thousand features', Buffer.from(JSON.stringify(crowd(100_000)))],
  ['statistics', 'as a list', Buffer.from('[]')],
  ['statistics', 'as brackets without end', Buffer.from('{"a":'.repeat(200_000))],
]

function crowd(count: number): object {
  const feature = { dtype: 'float32', shape: [1], names: null }
  const features = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, feature]))
  return { codebase_version: 'v3.0', fps: 10, total_episodes: 3, total_frames: 15, features }
}

export function listMetadataCases(): HostileSource[] {
  const bases: Base[] = ['v2.1', 'v3.0']
  const info = bases.flatMap((base) =>
    infoPlaces
      .filter(([place]) => byBase[base]?.has(place) ?? true)
      .flatMap(([place, values]) => values.map((value) => changeInfo(base, place.split('.'), value))),
  )
  const cameras = cameraPlaces.flatMap(([place, values]) =>
    values.map((value) => changeInfo('v3.0', ['features', camera, place], value)),
  )
  const renamed = featureNames.map((name) =>
    changeSet(`a camera called ${show(JSON.stringify(name))}`, 'v3.0', files['v3.0'].info, (good) =>
      Buffer.from(good.toString('utf8').replace(JSON.stringify(camera), () => JSON.stringify(name))),
    ),
  )
  const lines = jsonLines.map(([file, name, text]) =>
    changeSet(`${file}: ${name}`, 'v2.1', files['v2.1'][file], () => Buffer.from(text)),
  )
  const whole = texts.map(([file, name, bytes]) =>
    changeSet(`${file} ${name}`, 'v3.0', files['v3.0'][file], () => bytes),
  )
  return [...info, ...cameras, ...renamed, ...lines, ...whole]
}

const show = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

/** A value in the place of another, by a mark that JSON can carry. */
const changeInfo = (base: Base, place: readonly string[], value: Written): HostileSource =>
  changeSet(`${place.join('.')} is ${show(value)}`, base, files[base].info, (good) => {
    const mark = 'hostile value'
    const info = JSON.parse(good.toString('utf8'))
    const holder = place.slice(0, -1).reduce((at, key) => at[key], info)
    holder[place.at(-1) ?? ''] = mark
    return Buffer.from(JSON.stringify(info).replace(JSON.stringify(mark), () => value))
  })
