import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { readCatalogSearch } from '../browsing/search.ts'
import { checkRulesQuery, checksQuery } from '../data/checks.ts'
import { featureStatisticsQuery, filteringQuery, manifestQuery } from '../data/dataset.ts'
import { episodeKinds } from '../data/diff.ts'
import { insightsQuery } from '../data/insights.ts'
import type {
  ChecksSearch,
  CompareSearch,
  EpisodesSearch,
  FramesSearch,
  ImportsSearch,
  InsightsSearch,
  OrgMembersSearch,
  PlayerSearch,
  RecipeSearch,
} from '../data/searches.ts'
import { Failure, NothingHere } from '../parts/states.tsx'
import { queryClient } from '../session/query-client.ts'
import { askForEpisode } from './ask-ahead.ts'
import { Shell } from './shell.tsx'
import { SignedIn } from './signed-in.tsx'

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <div className="page">
      <NothingHere />
    </div>
  ),
  errorComponent: ({ error, reset }) => (
    <div className="page">
      <Failure error={error} what="This page has crashed" onRetry={reset} />
    </div>
  ),
})

const readNumber = (value: unknown): number | undefined => {
  const number = Number(value)
  return value !== undefined && value !== '' && Number.isFinite(number) ? number : undefined
}
const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

const catalogRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../catalog/catalog-page.tsx'), 'CatalogPage'),
  validateSearch: readCatalogSearch,
})

/** What a page will show is asked for while the pointer is still on its link; no page waits for it. */
const fetchDataset = (datasetId: string): void => {
  void queryClient.prefetchQuery(manifestQuery(datasetId))
}
const fetchInsights = (datasetId: string): void => {
  void queryClient.prefetchQuery(insightsQuery(datasetId))
  void queryClient.prefetchQuery(filteringQuery(datasetId))
}

const datasetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/datasets/$datasetId',
  loader: ({ params }) => {
    fetchDataset(params.datasetId)
    void queryClient.prefetchQuery(featureStatisticsQuery(params.datasetId))
  },
  component: lazyRouteComponent(() => import('../dataset/dataset-page.tsx'), 'DatasetPage'),
})

const episodeSorts = ['duration', 'task', 'motion', 'variance', 'flags'] as const
const episodeLists = ['flagged', 'low-motion', 'high-variance', 'success', 'failure'] as const
const episodesRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../dataset/episodes-tab.tsx'), 'EpisodesTab'),
  loader: ({ params }) => fetchInsights(params.datasetId),
  validateSearch: (search): EpisodesSearch => ({
    q: readText(search.q),
    split: readText(search.split),
    sort: episodeSorts.find((sort) => sort === search.sort),
    order: search.order === 'desc' ? 'desc' : undefined,
    show: episodeLists.find((show) => show === search.show),
  }),
})

const framesRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: 'frames',
  component: lazyRouteComponent(() => import('../dataset/frames/frames-tab.tsx'), 'FramesTab'),
  validateSearch: (search): FramesSearch => ({
    view: search.view === 'last' ? 'last' : undefined,
    camera: readText(search.camera),
  }),
})
const datasetTab = <const P extends string, M extends Record<string, unknown>, K extends keyof M & string>(
  path: P,
  load: () => Promise<M>,
  name: K,
) =>
  createRoute({ getParentRoute: () => datasetRoute, path, component: lazyRouteComponent(load as never, name as never) })

const statisticsRoute = datasetTab('statistics', () => import('../dataset/statistics-tab.tsx'), 'StatisticsTab')
const filesRoute = datasetTab('files', () => import('../dataset/files-tab.tsx'), 'FilesTab')
const datasetVersionsRoute = datasetTab('versions', () => import('../dataset/versions-tab.tsx'), 'VersionsTab')
const flagsRoute = datasetTab('flags', () => import('../dataset/flags-tab.tsx'), 'FlagsTab')
const reviewsRoute = datasetTab('reviews', () => import('../dataset/review/reviews-tab.tsx'), 'ReviewsTab')
const derivationRoute = datasetTab(
  'derivation',
  () => import('../dataset/derivation/derivation-tab.tsx'),
  'DerivationTab',
)
const lineageRoute = datasetTab('lineage', () => import('../dataset/lineage/lineage-tab.tsx'), 'LineageTab')
const manageRoute = datasetTab('manage', () => import('../dataset/manage-tab.tsx'), 'ManageTab')

const insightsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/datasets/$datasetId/insights',
  component: lazyRouteComponent(() => import('../dataset/insights/insights-page.tsx'), 'InsightsPage'),
  loader: ({ params }) => {
    fetchDataset(params.datasetId)
    fetchInsights(params.datasetId)
  },
  validateSearch: (search): InsightsSearch => ({
    plot: search.plot === 'length' || search.plot === 'motion' || search.plot === 'variance' ? search.plot : undefined,
    from: readNumber(search.from),
    to: readNumber(search.to),
  }),
})

const checksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/datasets/$datasetId/checks',
  component: lazyRouteComponent(() => import('../dataset/checks/checks-page.tsx'), 'ChecksPage'),
  loader: ({ params }) => {
    fetchDataset(params.datasetId)
    void queryClient.prefetchQuery(checkRulesQuery)
    void queryClient.prefetchQuery(checksQuery(params.datasetId))
  },
  validateSearch: (search): ChecksSearch => ({ rule: readText(search.rule), cut_off: readNumber(search.cut_off) }),
})

const playerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/datasets/$datasetId/episodes/$episode',
  component: lazyRouteComponent(() => import('../player/player-page.tsx'), 'PlayerPage'),
  loader: ({ params }) => {
    fetchDataset(params.datasetId)
    askForEpisode(params.datasetId, Number(params.episode))
  },
  validateSearch: (search): PlayerSearch => ({
    t: readNumber(search.t),
    from: readNumber(search.from),
    to: readNumber(search.to),
    review: readText(search.review),
  }),
})

/** What follows is for people with an account; the catalog and public datasets are for everybody. */
const signedInRoute = createRoute({ getParentRoute: () => rootRoute, id: 'signed-in', component: SignedIn })

const recipeSteps = [
  'episodes',
  'time',
  'cameras',
  'crop',
  'resize',
  'action',
  'features',
  'annotations',
  'sources',
] as const
const recipeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  staticData: { signedOut: 'Sign in to make a version' },
  path: '/datasets/$datasetId/recipe',
  component: lazyRouteComponent(() => import('../recipe/recipe-page.tsx'), 'RecipePage'),
  validateSearch: (search): RecipeSearch => ({
    step: recipeSteps.find((step) => step === search.step),
    draft: readText(search.draft),
  }),
})

const compareRoute = createRoute({
  getParentRoute: () => signedInRoute,
  staticData: { signedOut: 'Sign in to compare datasets' },
  path: '/orgs/$org/compare',
  component: lazyRouteComponent(() => import('../dataset/compare/compare-page.tsx'), 'ComparePage'),
  validateSearch: (search): CompareSearch => ({
    from: readText(search.from),
    to: readText(search.to),
    kind: episodeKinds.find((kind) => kind === search.kind),
  }),
})

const projectRoute = createRoute({ getParentRoute: () => signedInRoute, path: '/orgs/$org/projects/$project' })
const projectIndexRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/orgs/$org/projects/$project/datasets', params })
  },
})
const projectDatasetsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'datasets',
  component: lazyRouteComponent(() => import('../project/datasets-page.tsx'), 'DatasetsPage'),
  validateSearch: readCatalogSearch,
})
const projectVersionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'versions',
  component: lazyRouteComponent(() => import('../project/versions-page.tsx'), 'VersionsPage'),
})
const projectMembersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: 'members',
  component: lazyRouteComponent(() => import('../project/members-page.tsx'), 'ProjectMembersPage'),
})

const readImportsSearch = (search: Record<string, unknown>): ImportsSearch => ({
  new: search.new === 'huggingface' || search.new === 'upload' || search.new === 'url' ? search.new : undefined,
  show: search.show === 'running' || search.show === 'failed' || search.show === 'done' ? search.show : undefined,
  again: readText(search.again),
  slug: readText(search.slug),
  title: readText(search.title),
})
const importsRoute = createRoute({
  getParentRoute: () => projectRoute,
  staticData: { signedOut: 'Sign in to see the imports' },
  path: 'imports',
  component: lazyRouteComponent(() => import('../imports/imports-page.tsx'), 'ImportsPage'),
  validateSearch: readImportsSearch,
})
const importRoute = createRoute({
  getParentRoute: () => importsRoute,
  path: '$jobId',
  component: lazyRouteComponent(() => import('../imports/import-detail.tsx'), 'ImportDetail'),
})

/** The address that the API gives out (`viewer_route`): a version's pages are a dataset's. */
const versionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/orgs/$org/versions/$versionId',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/datasets/$datasetId', params: { datasetId: params.versionId }, replace: true })
  },
})

const organizationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/orgs/$org',
  component: lazyRouteComponent(() => import('../organization/organization-page.tsx'), 'OrganizationPage'),
})
const organizationIndexRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/orgs/$org/members', params })
  },
})
const orgMembersRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'members',
  component: lazyRouteComponent(() => import('../organization/members-section.tsx'), 'MembersSection'),
  validateSearch: (search): OrgMembersSearch => ({ project: readText(search.project) }),
})
const orgProjectsRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'projects',
  component: lazyRouteComponent(() => import('../organization/projects-section.tsx'), 'ProjectsSection'),
})
const orgAuditRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'audit',
  component: lazyRouteComponent(() => import('../organization/audit-section.tsx'), 'AuditSection'),
})
const orgStorageRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'storage',
  component: lazyRouteComponent(() => import('../organization/storage-section.tsx'), 'StorageSection'),
})

const orgSecurityRoute = createRoute({
  getParentRoute: () => organizationRoute,
  path: 'security',
  component: lazyRouteComponent(() => import('../organization/security-section.tsx'), 'OrganizationSecuritySection'),
})

const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  staticData: { signedOut: 'Sign in to see your settings' },
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/settings-page.tsx'), 'SettingsPage'),
})
const settingsIndexRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/profile' })
  },
})
const profileRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'profile',
  component: lazyRouteComponent(() => import('../settings/profile-section.tsx'), 'ProfileSection'),
})
const securityRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'security',
  component: lazyRouteComponent(() => import('../settings/security-section.tsx'), 'SecuritySection'),
})
const tokensRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'tokens',
  component: lazyRouteComponent(() => import('../settings/tokens-section.tsx'), 'TokensSection'),
})
const notificationsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: 'notifications',
  component: lazyRouteComponent(() => import('../settings/notifications-section.tsx'), 'NotificationsSection'),
})

const inboxRoute = createRoute({
  getParentRoute: () => signedInRoute,
  staticData: { signedOut: 'Sign in to see your inbox' },
  path: '/inbox',
  component: lazyRouteComponent(() => import('../inbox/inbox-page.tsx'), 'InboxPage'),
})

/** For everybody; whoever runs the program sees more of it. */
const statusRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/status',
  component: lazyRouteComponent(() => import('../status/status-page.tsx'), 'StatusPage'),
})

const routeTree = rootRoute.addChildren([
  catalogRoute,
  datasetRoute.addChildren([
    episodesRoute,
    framesRoute,
    statisticsRoute,
    filesRoute,
    datasetVersionsRoute,
    flagsRoute,
    reviewsRoute,
    derivationRoute,
    lineageRoute,
    manageRoute,
  ]),
  insightsRoute,
  checksRoute,
  playerRoute,
  versionRoute,
  statusRoute,
  signedInRoute.addChildren([
    recipeRoute,
    compareRoute,
    projectRoute.addChildren([
      projectIndexRoute,
      projectDatasetsRoute,
      projectVersionsRoute,
      projectMembersRoute,
      importsRoute.addChildren([importRoute]),
    ]),
    organizationRoute.addChildren([
      organizationIndexRoute,
      orgMembersRoute,
      orgProjectsRoute,
      orgAuditRoute,
      orgStorageRoute,
      orgSecurityRoute,
    ]),
    settingsRoute.addChildren([settingsIndexRoute, profileRoute, securityRoute, tokensRoute, notificationsRoute]),
    inboxRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  // What is fresh enough is the queries' to say.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    /** What the page is, for who is not signed in. */
    signedOut?: string
  }
}
