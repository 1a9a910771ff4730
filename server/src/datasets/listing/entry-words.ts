import { type RevisionSummary, showTasks } from '../revision-summary.ts'

export const sizeClasses = ['under-100', '100-to-1k', '1k-to-10k', 'over-10k'] as const

/** What a person called the task stands first; the episodes still have the texts of the source, so those are found, too. */
export const listTasks = (taskName: string | null, summary: RevisionSummary): string[] =>
  [...new Set([...(taskName === null ? [] : [taskName]), ...showTasks(summary).tasks])].slice(0, 20)

/** Letters and digits of any script, made by us: PostgreSQL's own split depends on the locale of the database. */
export const splitWords = (text: string): string[] => {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
  return [...new Set(words.filter((word) => word !== '').map((word) => word.slice(0, 100)))].slice(0, maxWords)
}

const maxWords = 2_000

/** By the number of its episodes. */
export const classOf = (episodeCount: number): (typeof sizeClasses)[number] =>
  episodeCount < 100
    ? 'under-100'
    : episodeCount < 1_000
      ? '100-to-1k'
      : episodeCount < 10_000
        ? '1k-to-10k'
        : 'over-10k'
