import { useRouterState } from '@tanstack/react-router'
import type { IconName } from '../parts/icon.tsx'

export interface Place {
  name: 'Catalog' | 'Datasets' | 'Versions' | 'Imports'
  to:
    | '/'
    | '/orgs/$org/projects/$project/datasets'
    | '/orgs/$org/projects/$project/versions'
    | '/orgs/$org/projects/$project/imports'
  icon: IconName
  isCurrent(pathname: string): boolean
}

/** A version's pages are a dataset's, and a recipe makes one. */
const isOfVersions = (path: string): boolean => path.startsWith('/datasets/ver_') || path.endsWith('/recipe')

/** The four places of the top bar, which are the bottom bar on a phone. */
export const places: readonly Place[] = [
  { name: 'Catalog', to: '/', icon: 'grid', isCurrent: (path) => path === '/' },
  {
    name: 'Datasets',
    to: '/orgs/$org/projects/$project/datasets',
    icon: 'table',
    isCurrent: (path) => (path.startsWith('/datasets/') && !isOfVersions(path)) || path.endsWith('/datasets'),
  },
  {
    name: 'Versions',
    to: '/orgs/$org/projects/$project/versions',
    icon: 'list',
    isCurrent: (path) => (/\/versions(\/|$)/.test(path) && !path.startsWith('/datasets/')) || isOfVersions(path),
  },
  {
    name: 'Imports',
    to: '/orgs/$org/projects/$project/imports',
    icon: 'download',
    isCurrent: (path) => /\/imports(\/|$)/.test(path),
  },
]

export const usePathname = (): string => useRouterState({ select: (state) => state.location.pathname })
