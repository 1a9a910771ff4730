import { queryOptions } from '@tanstack/react-query'
import { getConsoleConfig } from './oidc.ts'

export const consoleConfigQuery = queryOptions({
  queryKey: ['console-config'],
  queryFn: getConsoleConfig,
  staleTime: Number.POSITIVE_INFINITY,
})
