import { createClient } from '@nmp/sdk/client'
import { getToken } from '../sign-in/session.ts'

/** The one way to the API: same address as the page, the session's token, three attempts for what may be repeated. */
export const client = createClient({ baseUrl: location.origin, token: getToken, attempts: 3 })

export { ApiError } from '@nmp/sdk/client'

interface Request {
  query?: Record<string, string | number | boolean | undefined | null | readonly string[]>
  body?: unknown
  signal?: AbortSignal | undefined
}

/** A JSON request by path, for routes that are younger than the generated client. */
export async function request<T>(method: string, path: string, { query = {}, body, signal }: Request = {}): Promise<T> {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one))
  }
  const response = await client.transport.send(`/api/v1${path}${search.size > 0 ? `?${search}` : ''}`, {
    method,
    headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await response.json()) as T
}
