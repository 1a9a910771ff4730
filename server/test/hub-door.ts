import type { TestProgram } from './program.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a stranger gets from JSON.parse
export type Json = any

export interface DoorAnswer {
  status: number
  headers: Headers
  body: Json
}

/** The Hub door as a client without a library speaks to it, for repositories of one kind. */
export function openDoor({ url }: Pick<TestProgram, 'url'>, token: string, kind: 'datasets' | 'models' = 'datasets') {
  const files = kind === 'datasets' ? '/datasets' : ''
  const send = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${url}/hf${path}`, {
      method,
      headers: token ? { authorization: `Bearer ${token}` } : {},
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
  const ask = async (method: string, path: string, body?: unknown): Promise<DoorAnswer> => {
    const answer = await send(method, path, body)
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json }
  }
  return {
    send,
    ask,
    /** One commit of small files; null deletes one. */
    commit: (
      repoId: string,
      files: Record<string, string | null>,
      { branch = 'main', title = 'change', query = '' } = {},
    ) =>
      ask(
        'POST',
        `/api/${kind}/${repoId}/commit/${encodeURIComponent(branch)}${query}`,
        [
          { key: 'header', value: { summary: title, description: `${title}, in more words` } },
          ...Object.entries(files).map(([path, text]) =>
            text === null
              ? { key: 'deletedFile', value: { path } }
              : { key: 'file', value: { path, encoding: 'base64', content: Buffer.from(text).toString('base64') } },
          ),
        ]
          .map((line) => JSON.stringify(line))
          .join('\n'),
      ),
    tag: (repoId: string, tag: string, revision = 'main') =>
      ask('POST', `/api/${kind}/${repoId}/tag/${encodeURIComponent(revision)}`, { tag }),
    /** Paths at a revision. */
    async list(repoId: string, revision = 'main'): Promise<string[]> {
      const { body } = await ask('GET', `/api/${kind}/${repoId}/revision/${encodeURIComponent(revision)}`)
      return body.siblings.map(({ rfilename }: Json) => rfilename)
    },
    /** The text of a file, or the status it was refused with. */
    async read(repoId: string, path: string, revision = 'main'): Promise<string | number> {
      const answer = await send('GET', `${files}/${repoId}/resolve/${encodeURIComponent(revision)}/${path}`)
      return answer.ok ? await answer.text() : answer.status
    },
  }
}
