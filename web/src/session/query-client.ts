import { QueryClient } from '@tanstack/react-query'

/** Cached content is shown at once and refreshed in place; the SDK repeats what may be repeated. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 20_000,
      gcTime: 30 * 60_000,
      retry: false,
      refetchOnWindowFocus: true,
      refetchOnReconnect: true,
    },
    // Without a network a change is refused at once, not kept for later.
    mutations: { networkMode: 'always' },
  },
})
