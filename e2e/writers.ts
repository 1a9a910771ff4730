import { callUrl } from './program.ts'

/** What clients were told is done, and so must be there whatever happens next. */
export interface Acknowledged {
  tokenIds: Set<string>
  projectSlugs: Set<string>
  /** The number in the display name last acknowledged, and the last one sent: what is stored lies between them. */
  nameAcknowledged: number
  nameSent: number
  /** Answers other than success: none is expected while the program lives. */
  refusals: string[]
}

export const createRecord = (): Acknowledged => ({
  tokenIds: new Set(),
  projectSlugs: new Set(),
  nameAcknowledged: 0,
  nameSent: 0,
  refusals: [],
})

interface Place {
  url: string
  bearer: string
  org: string
}

let projectNumber = 0

/** Clients that write until they are stopped or the program is gone. */
export function startWriters(place: Place, record: Acknowledged): { stop(): Promise<void> } {
  let stopped = false
  const repeat = async (write: () => Promise<void>): Promise<void> => {
    while (!stopped) {
      try {
        await write()
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        return // fetch lost the connection: the program was killed
      }
    }
  }
  const send = async (method: string, path: string, body: unknown, keep: (answer: unknown) => void): Promise<void> => {
    const answer = await callUrl(place.url, method, path, { bearer: place.bearer, body })
    if (answer.status < 300) keep(answer.body)
    else record.refusals.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  const loops = [
    repeat(() =>
      send('POST', '/api/v1/users/me/tokens', { name: 'written under fire' }, (answer) =>
        record.tokenIds.add((answer as { item: { id: string } }).item.id),
      ),
    ),
    repeat(() => {
      projectNumber += 1
      const slug = `p-${projectNumber}`
      return send('POST', `/api/v1/orgs/${place.org}/projects`, { slug }, () => record.projectSlugs.add(slug))
    }),
    repeat(() => {
      record.nameSent += 1
      const number = record.nameSent
      return send('PATCH', '/api/v1/users/me/profile', { display_name: `name ${number}` }, () => {
        record.nameAcknowledged = number
      })
    }),
  ]
  return {
    stop: async () => {
      stopped = true
      await Promise.all(loops)
    },
  }
}

export interface Stored {
  tokenIds: Set<string>
  projectSlugs: Set<string>
  name: number
}

export async function readStored({ url, bearer, org }: Place): Promise<Stored> {
  const tokens = await listAll(url, '/api/v1/users/me/tokens', bearer)
  const projects = await listAll(url, `/api/v1/orgs/${org}/projects`, bearer)
  const profile = await callUrl(url, 'GET', '/api/v1/users/me/profile', { bearer })
  return {
    tokenIds: new Set(tokens.map((token) => String(token.id))),
    projectSlugs: new Set(projects.map((project) => String(project.project_slug))),
    name: Number(/\d+$/.exec(profile.body.item.display_name)?.[0] ?? 0),
  }
}

/** Acknowledged writes that are not there. */
export const findLost = (record: Acknowledged, stored: Stored): string[] => [
  ...[...record.tokenIds].filter((id) => !stored.tokenIds.has(id)),
  ...[...record.projectSlugs].filter((slug) => !stored.projectSlugs.has(slug)),
  ...(stored.name < record.nameAcknowledged || stored.name > record.nameSent ? [`name ${stored.name}`] : []),
]

export async function listAll(url: string, path: string, bearer: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  let cursor: string | null = null
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await callUrl(url, 'GET', `${path}?limit=200${query}`, { bearer })
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    items.push(...body.items)
    cursor = body.next_cursor
  } while (cursor !== null)
  return items
}
