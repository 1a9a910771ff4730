import type { RuleCounts, Severity } from './checks.ts'

export const families = ['signals', 'motion', 'pictures', 'sets'] as const
export type FamilyName = (typeof families)[number] | 'files'

export const familyWords: Record<FamilyName, { title: string; about: string }> = {
  signals: { title: 'Signals', about: 'clocks, states and actions' },
  motion: { title: 'Motion', about: 'how the arm moves' },
  pictures: { title: 'Pictures', about: 'every frame of every camera' },
  sets: { title: 'The set', about: 'episodes against each other' },
  files: { title: 'Files', about: 'what reading them showed' },
}

const proper: Record<string, string> = {
  'smoothness-sparc': 'Smoothness (SPARC)',
  'smoothness-ldlj': 'Smoothness (LDLJ)',
  'idle-share': 'Idle share',
  'idle-longest': 'Longest rest',
  'length-far': 'Length far from the others',
  lag: 'Lag of state and action',
  'non-finite': 'Values that are not finite',
  'rate-differs': 'Another rate than declared',
  'task-single': 'Tasks with few episodes',
  'task-missing': 'Episodes without a task',
  'task-spelling': 'Tasks spelled differently',
  'task-balance': 'Balance over tasks',
  'time-gap': 'Gaps in time',
  'time-order': 'Time out of order',
  duplicate: 'Duplicates',
  'near-duplicate': 'Near-duplicates',
  'duplicate-elsewhere': 'Duplicates in other datasets',
  'near-duplicate-elsewhere': 'Near-duplicates in other datasets',
  jump: 'Jumps',
}

/** `frozen-camera` is "Frozen camera": ids are for programs. */
export const nameRule = (id: string): string =>
  proper[id] ?? (id.charAt(0).toUpperCase() + id.slice(1)).replaceAll('-', ' ')

export const severityLooks: Record<Severity, { word: string; many: string; chip: string }> = {
  error: { word: 'error', many: 'errors', chip: 'flag' },
  warning: { word: 'warning', many: 'warnings', chip: 'loss' },
  info: { word: 'oddity', many: 'oddities', chip: 'line' },
}

const order: readonly Severity[] = ['error', 'warning', 'info']

/** What has findings first, the severe before the mild; rankings last. */
export const compareRules = (a: RuleCounts, b: RuleCounts): number =>
  Number(a.kind === 'ranking') - Number(b.kind === 'ranking') ||
  Number(b.findings > 0) - Number(a.findings > 0) ||
  (a.findings > 0 ? order.indexOf(a.severity) - order.indexOf(b.severity) || b.episodes - a.episodes : 0)
