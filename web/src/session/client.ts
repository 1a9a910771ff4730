import { createClient } from '@nmp/sdk/client'
import { getToken } from './session.ts'

/** The one way to the API: same address as the page, the session's token, three attempts for what may be repeated. */
export const client = createClient({ baseUrl: location.origin, token: getToken, attempts: 3 })

export { ApiError, ConnectionError } from '@nmp/sdk/client'
