import { queryOptions, useQuery } from '@tanstack/react-query'
import { getConsoleConfig } from './oidc.ts'
import { useMe } from './workspace.ts'

interface LocalAccount {
  email: string
  has_password: boolean
  has_app: boolean
  passkey_count: number
}

/** Whose session this browser has at our own issuer; null where people sign in elsewhere, or nobody did here. */
export const localAccountQuery = queryOptions({
  queryKey: ['local-account'],
  queryFn: async ({ signal }): Promise<LocalAccount | null> => {
    const { issuer } = await getConsoleConfig()
    if (!issuer.startsWith(location.origin)) return null
    const response = await fetch('/account', { headers: { accept: 'application/json' }, signal })
    return ((await response.json()) as { item: LocalAccount | null }).item
  },
  staleTime: 60_000,
  retry: false,
})

/** Who came in by a link and has no password yet: signed out, they would need a new link. */
export function useLacksPassword(): boolean {
  const me = useMe()
  const account = useQuery({ ...localAccountQuery, enabled: me.data !== undefined })
  return account.data?.email === me.data?.email && account.data?.has_password === false
}
