import type pg from 'pg'

/** What there is at full size. Episodes are rows of `episode_identities`, one for each revision that has it. */
export const fullCounts = {
  organizations: 1_000,
  users: 10_000,
  projects: 5_000,
  datasets: 100_000,
  revisions: 150_000,
  episodes: 100_000_000,
  jobs: 1_000_000,
  versions: 100_000,
  blobs: 2_000_000,
  references: 3_000_000,
  flags: 1_000_000,
  notifications: 1_000_000,
  auditEvents: 3_000_000,
  pushes: 50_000,
}

export type Counts = typeof fullCounts

export const scaleCounts = (scale: number): Counts =>
  Object.fromEntries(
    Object.entries(fullCounts).map(([name, count]) => [name, Math.max(10, Math.round(count * scale))]),
  ) as Counts

/** Where the person who asks is at home: a tenth of everything is there. */
export interface Home {
  userId: string
  orgId: string
  projectId: string
}

/** Kept as they are computed for a whole set: a thousand episodes of 24 points and 7 joints, and the pictures of one film of 300 frames. */
const pathBytes = 1000 * 24 * 7 * 4
const traceBytes = 6_000
/** Of tables whose rows are too large for the whole: this share is filled, and their size is computed. */
export const filledShares: Record<string, number> = { episode_paths: 0.01, seen_pictures: 0.0002 }

const functions = `
  create schema fill;
  create function fill.id(prefix text, n bigint) returns text language sql immutable parallel safe as
    $$ select prefix || '_' || lpad(to_hex(1700000000000 + n), 12, '0') || '7' || substr(md5(prefix || n), 1, 19) $$;
  create function fill.sha(n bigint, seed text) returns text language sql immutable parallel safe as
    $$ select encode(sha256(convert_to(seed || n, 'UTF8')), 'hex') $$;`

/**
 * Copies rows that the program itself has written, so that each is what a row is, with other ids. Triggers and foreign keys are off
 * (everything fits together by its numbers), checks are not.
 */
export async function fillTables(home: Home, counts: Counts, open: () => pg.Client): Promise<void> {
  const client = open()
  await client.connect()
  try {
    await client.query(`set session_replication_role = replica; set synchronous_commit = off; ${functions}`)
    const at = (name: string, list: string, n: string) =>
      `(case when ${n} % 10 = 0 then '${list}' else fill.id('${name}', ${n}) end)`
    const org = (n: string) => at('org', home.orgId, `(${n} % ${counts.organizations})`)
    const project = (n: string) => at('prj', home.projectId, `(${n} % ${counts.projects})`)
    const user = (n: string) => at('usr', home.userId, `(${n} % ${counts.users})`)
    const ago = (n: string, most: number) => `now() - make_interval(secs => 1 + 31536000.0 * (${n}) / ${most})`
    const copy = (table: string, count: number, changes: Record<string, string>, where = 'true'): Promise<void> =>
      copyRows(client, table, count, changes, where)

    await copy('organizations', counts.organizations, {
      id: `fill.id('org', n)`,
      slug: `'org-' || n`,
      created_by: user('n'),
    })
    await copy('users', counts.users, { id: `fill.id('usr', n)`, email: `'person-' || n || '@example.org'` })
    await copy('projects', counts.projects, { id: `fill.id('prj', n)`, org_id: org('n'), slug: `'project-' || n` })
    await copy('org_members', counts.users, {
      org_id: `fill.id('org', n % ${counts.organizations})`,
      user_id: `fill.id('usr', n)`,
    })
    await copy('org_members', Math.min(500, counts.users), { user_id: `fill.id('usr', n)` })
    await copy('project_members', counts.users, {
      project_id: `fill.id('prj', n % ${counts.projects})`,
      user_id: `fill.id('usr', n)`,
    })
    await copy('access_tokens', counts.users * 2, {
      id: `fill.id('tok', n)`,
      user_id: user('n'),
      secret_sha256: `sha256(convert_to('token' || n, 'UTF8'))`,
    })
    await copy('sessions', counts.users * 2, {
      id: `fill.id('ses', n)`,
      session_id: `'session-' || n`,
      user_id: user('n'),
    })

    await copy('datasets', counts.datasets, {
      id: `fill.id('ds', n)`,
      project_id: project('n'),
      slug: `'set-' || n`,
      title: `'Dataset ' || n`,
      current_revision_id: `fill.id('rev', n)`,
      visibility: `case when n % 2 = 0 then 'public' else 'private' end`,
      published_at: ago('n', counts.datasets),
      created_at: ago('n', counts.datasets),
    })
    await copy('dataset_revisions', counts.revisions, {
      id: `fill.id('rev', n)`,
      dataset_id: `fill.id('ds', (n - 1) % ${counts.datasets} + 1)`,
      number: `2 - (n - 1) / ${counts.datasets}`,
      import_id: `fill.id('imp', n)`,
      digest: `fill.sha(n, 'revision')`,
      read_model_digest: `fill.sha(n, 'model')`,
    })
    await copy(
      'catalog_entries',
      counts.datasets / 2,
      {
        dataset_id: `fill.id('ds', 2 * n)`,
        published_at: ago('n', counts.datasets / 2),
        title: `'Dataset ' || 2 * n`,
        robot_type: `'robot-' || n % 12`,
        tags: `array['tag-' || n % 40, 'tag-' || n % 7]`,
        tasks: `array['task ' || n % 500]`,
        words: `to_tsvector('simple', 'dataset ' || n || ' robot ' || n % 12 || ' task ' || n % 500 || ' word' || n % 1000)`,
        total_seconds: 'n',
        total_episodes: 'n % 20000',
        size_bytes: 'n',
      },
      'dataset_id is not null',
    )
    await copy('versions', counts.versions, {
      id: `fill.id('ver', n)`,
      project_id: project('n'),
      slug: `'version-' || n`,
      dataset_id: `fill.id('ds', n % ${counts.datasets} + 1)`,
      revision_id: `fill.id('rev', n % ${counts.datasets} + 1)`,
      idempotency_key: 'null::text',
      idempotency_fingerprint: 'null::text',
      created_by: user('n'),
      created_at: ago('n', counts.versions),
    })
    await copy(
      'version_artifacts',
      counts.versions,
      { version_id: `fill.id('ver', n)`, job_id: `fill.id('exp', n)` },
      `key = 'lerobot'`,
    )
    await copy('version_artifacts', counts.versions, { version_id: `fill.id('ver', n)` }, `key = 'manifest'`)

    await copyJobs(copy, counts, { org, project, user, ago })
    await client.query(`
      insert into consistency_checks (job_id, content_checked_at)
      select fill.id('imp', n), ${ago('n', 12 * share(counts, 0.3))} from generate_series(1, ${share(counts, 0.3)}) n`)
    // An export that copies packets has none.
    await client.query(`
      insert into export_shards (id, export_id, position, episodes, frame_count)
      select fill.id('shd', n), fill.id('exp', n % ${share(counts, 0.2)} + 1), n / ${share(counts, 0.2)}, array(select generate_series(0, 49)), 15000
      from generate_series(1, ${share(counts, 0.4)}) n`)
    await copy('blobs', counts.blobs, {
      sha256: `fill.sha(n, 'blob')`,
      store_key: `'blobs/' || fill.sha(n, 'blob')`,
      read_at: ago('n', 12 * counts.blobs),
    })
    await copy(
      'blob_references',
      counts.references,
      {
        owner_kind: `'revision'`,
        owner_id: `fill.id('rev', n % ${counts.revisions} + 1)`,
        logical_path: `'dataset/videos/observation.images.top/chunk-000/file-' || lpad((n / ${counts.revisions})::text, 3, '0') || '.mp4'`,
        sha256: `fill.sha(n % ${counts.blobs} + 1, 'blob')`,
        org_id: org(`(n % ${counts.revisions} + 1)`),
      },
      `owner_kind = 'revision'`,
    )
    await copy(
      'check_results',
      counts.revisions,
      { revision_id: `fill.id('rev', n)`, job_id: 'null::text' },
      `part = 'signals' and revision_id is not null`,
    )
    await copy('episode_flags', counts.flags, {
      id: `fill.id('flg', n)`,
      revision_id: `fill.id('rev', n % ${counts.datasets} + 1)`,
      version_id: 'null::text',
      episode_index: `n / ${counts.datasets}`,
      created_by: user('n'),
    })
    await copy('notifications', counts.notifications, {
      id: `fill.id('ntf', n)`,
      user_id: user('n'),
      created_at: ago('n', 12 * counts.notifications),
    })
    await copy('audit_events', counts.auditEvents, {
      org_id: org('n'),
      actor_user_id: user('n'),
      at: ago('n', counts.auditEvents),
    })
    await copy('hub_pushes', counts.pushes, {
      id: `fill.id('psh', n)`,
      org_id: org('n'),
      project_id: project('n'),
      slug: `'set-' || n`,
      state: `'kept'`,
      import_id: `fill.id('imp', n)`,
      head: `substr(fill.sha(n, 'head'), 1, 40)`,
      created_by: user('n'),
    })
    await copy('hub_commits', counts.pushes, {
      push_id: `fill.id('psh', n)`,
      id: `substr(fill.sha(n, 'head'), 1, 40)`,
      author_id: user('n'),
    })
    await copy('hub_push_files', counts.pushes * 20, {
      push_id: `fill.id('psh', n % ${counts.pushes} + 1)`,
      path: `'data/chunk-000/file-' || n / ${counts.pushes}`,
      sha256: `fill.sha(n, 'push')`,
    })
    await copyLarge(client, counts)
  } finally {
    await client.end()
  }
  await fillEpisodes(open, counts)
}

const share = (counts: Counts, of: number): number => Math.round(counts.jobs * of)

type Copy = (table: string, count: number, changes: Record<string, string>, where?: string) => Promise<void>
type Place = (n: string) => string

/** Three imports, two exports, four of their parts and a run of the checks in every ten. A thousandth waits, and some run. */
async function copyJobs(
  copy: Copy,
  counts: Counts,
  { org, project, user, ago }: { org: Place; project: Place; user: Place; ago: (n: string, most: number) => string },
): Promise<void> {
  const parts: [string, string, number][] = [
    ['import', 'imp', share(counts, 0.3)],
    ['export', 'exp', share(counts, 0.2)],
    ['export_shard', 'shd', share(counts, 0.4)],
    ['check', 'chk', share(counts, 0.1)],
  ]
  const ended = `state = 'succeeded'`
  for (const [kind, prefix, count] of parts)
    await copy(
      'jobs',
      count,
      {
        id: `fill.id('${prefix}', n)`,
        org_id: org('n'),
        kind: `'${kind}'`,
        created_at: ago('n', count),
        finished_at: ago('n', count),
        retry_of: 'null::text',
      },
      ended,
    )
  const idle = {
    claimed_by: 'null::text',
    claim_expires_at: 'null::timestamptz',
    finished_at: 'null::timestamptz',
    result_digest: 'null::text',
    result_epoch: 'null::bigint',
  }
  // Not due for a year: nobody is to run what has no source.
  await copy(
    'jobs',
    share(counts, 0.001),
    { ...idle, id: `fill.id('wai', n)`, org_id: org('n'), state: `'queued'`, retry_after: `now() + interval '1 year'` },
    ended,
  )
  await copy(
    'jobs',
    Math.min(50, share(counts, 0.001)),
    {
      ...idle,
      id: `fill.id('run', n)`,
      org_id: org('n'),
      state: `'running'`,
      claimed_by: `'elsewhere-' || n`,
      claim_expires_at: `now() + interval '1 day'`,
    },
    ended,
  )
  await copy('imports', share(counts, 0.3), {
    id: `fill.id('imp', n)`,
    project_id: project('n'),
    dataset_slug: `'set-' || n`,
    dataset_id: `fill.id('ds', n % ${counts.datasets} + 1)`,
    revision_id: `fill.id('rev', n % ${counts.revisions} + 1)`,
    source_digest: `fill.sha(n, 'source')`,
    idempotency_key: 'null::text',
    created_by: user('n'),
  })
  await copy('exports', share(counts, 0.2), {
    id: `fill.id('exp', n)`,
    version_id: `fill.id('ver', n % ${counts.versions} + 1)`,
    requested_by: user('n'),
    made_with: 'null::text',
  })
}

/** What is kept of every episode in many bytes. */
async function copyLarge(client: pg.Client, counts: Counts): Promise<void> {
  const paths = Math.round((counts.episodes / 1000) * (filledShares.episode_paths ?? 1))
  const noise = (bytes: number): string =>
    `(select string_agg(sha256(int8send(n::bigint * 100000 + i)), null) from generate_series(1, ${Math.ceil(bytes / 32)}) i)`
  await client.query(`alter table episode_paths alter column points set storage external`)
  await client.query(`
    insert into episode_paths (revision_id, first_place, role, width, dimensions, scales, episodes, lengths, points)
    select fill.id('rev', n), 0, 'state', 7, '{0,1,2,3,4,5,6}', array_fill(1::float8, array[7]),
      array(select generate_series(0, 999)), array_fill(300, array[1000]), ${noise(pathBytes)}
    from generate_series(1, ${paths}) n`)
  await client.query(`
    insert into seen_pictures (dataset_id, episode_sha256, rule_set_version, traces)
    select fill.id('ds', n % ${counts.datasets} + 1), sha256(int8send(n)), 5, ${noise(traceBytes)}
    from generate_series(1, ${Math.round(counts.episodes * (filledShares.seen_pictures ?? 1))}) n`)
}

/** By two sessions, without its indices, which are made afterwards: one by one a hundred million entries would take hours. */
async function fillEpisodes(open: () => pg.Client, counts: Counts): Promise<void> {
  const [one, other] = [open(), open()]
  await Promise.all([one.connect(), other.connect()])
  try {
    const table = 'episode_identities'
    const { rows } = await one.query(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text,
        (select conname from pg_constraint where conindid = indexrelid and contype = 'p') as key
       from pg_index where indrelid = '${table}'::regclass`,
    )
    for (const { name, key } of rows)
      await one.query(key ? `alter table ${table} drop constraint ${key}` : `drop index ${name}`)
    // A few sets are very large, as they are.
    const few = Math.max(1, Math.round(counts.datasets / 20_000))
    const large = Math.min(1_000_000, Math.round(counts.episodes / 20))
    const each = Math.max(1, Math.round((counts.episodes - few * large) / (counts.revisions - few)))
    const fill = async (client: pg.Client, odd: number): Promise<void> => {
      await client.query('set session_replication_role = replica; set synchronous_commit = off')
      await client.query(`
        insert into ${table} (revision_id, episode_index, content_sha256, numbers_sha256)
        select revision.id, e, sha256(int8send(revision.n::bigint * 1048576 + e)), sha256(int8send(-revision.n::bigint * 1048576 - e))
        from (select n, fill.id('rev', n) as id, case when n <= ${few} then ${large} else ${each} end as size
            from generate_series(1, ${counts.revisions}) n where n % 2 = ${odd}) revision,
          generate_series(0, revision.size - 1) e`)
    }
    await Promise.all([fill(one, 0), fill(other, 1)])
    await one.query(`set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 2`)
    for (const { text, key } of rows) {
      await one.query(text)
      if (key) await one.query(`alter table ${table} add primary key using index ${key}`)
    }
    await one.query('vacuum analyze')
    await one.query('drop schema fill cascade')
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}

async function copyRows(
  client: pg.Client,
  table: string,
  count: number,
  changes: Record<string, string>,
  where: string,
): Promise<void> {
  const { rows } = await client.query(
    `select attname as name, attidentity <> '' as counted from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  const columns: string[] = rows.filter(({ counted }) => !counted).map(({ name }) => name)
  const unknown = Object.keys(changes).filter((name) => !columns.includes(name))
  if (unknown.length > 0) throw new Error(`${table} has no column ${unknown.join(', ')}.`)
  const { rowCount } = await client.query(
    `insert into ${table} (${columns.join(', ')})
     select ${columns.map((name) => changes[name] ?? `pattern.${name}`).join(', ')}
     from (select * from ${table} where ${where} limit 1) pattern, generate_series(1, ${Math.round(count)}) n
     on conflict do nothing`,
  )
  if (!rowCount) throw new Error(`${table} has no row to copy where ${where}.`)
}
