import { formatYaml } from '../containers/yaml.ts'
import { compareText } from '../file-tree.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { type DatasetCard, factKeys } from './dataset-card.ts'

/**
 * README.md of a LeRobot v3 dataset, as lerobot and `huggingface_hub` write it: front matter that the Hub shows and searches, then the
 * text. The same card gives the same bytes. The `configs` block is what keeps `datasets` from taking the tables under meta/ for data.
 */
export function writeCard(card: DatasetCard): string {
  return `---\n${formatYaml(describeFrontMatter(card))}---\n\n${card.markdown ?? describeInWords(card)}\n`
}

export function describeFrontMatter(card: DatasetCard): JsonObject {
  const { task_categories: others, ...more } = card.more
  const front: Record<string, JsonValue | undefined> = {
    language: listUnlessEmpty(card.language),
    ...describeLicence(card.licence),
    task_categories: ['robotics', ...(Array.isArray(others) ? others : [])],
    pretty_name: card.title ?? undefined,
    tags: ['LeRobot', ...card.tags.filter((tag) => tag.toLowerCase() !== 'lerobot')],
    description: card.description ?? undefined,
    citation: card.citation ?? undefined,
  }
  for (const [key, { field }] of Object.entries(factKeys)) front[key] = card[field] ?? undefined
  // A database gives them back in another order.
  for (const key of Object.keys(more).sort(compareText)) front[key] ??= more[key]
  front.configs = [{ config_name: 'default', data_files: 'data/*/*.parquet' }]
  return Object.fromEntries(
    Object.entries(front).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  )
}

const listUnlessEmpty = (items: readonly string[]): string[] | undefined => (items.length > 0 ? [...items] : undefined)

/** The Hub takes ids in lower case; anything else is `other` with its name beside it. */
function describeLicence(licence: string | null): Record<string, JsonValue | undefined> {
  if (licence === null) return {}
  const ids = licence.split(', ').map((id) => id.toLowerCase())
  if (!ids.every((id) => /^[a-z0-9][a-z0-9.+-]*$/.test(id))) return { license: 'other', license_name: licence }
  return { license: ids.length === 1 ? (ids[0] ?? '') : ids }
}

/** Where nobody wrote a text. */
const describeInWords = ({ title, description }: DatasetCard): string =>
  [
    ...(title === null ? [] : [`# ${title}`]),
    ...(description === null ? [] : [description]),
    'A dataset for [LeRobot](https://github.com/huggingface/lerobot), in its format v3.0.',
  ].join('\n\n')
