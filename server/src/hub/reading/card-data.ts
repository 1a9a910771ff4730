import { describeFrontMatter } from '@nmp/formats/card/write-card'
import type { JsonObject, JsonValue } from '@nmp/formats/json'
import type { Context } from '../../context.ts'
import { findCard, findReadme } from '../../datasets/refresh-shown.ts'
import type { Commit } from '../repositories/repositories.ts'
import { readFront } from './front-matter.ts'

const bare: JsonObject = { task_categories: ['robotics'], tags: ['LeRobot'] }

/** The front matter of README.md, which the Hub answers as `cardData`. */
export async function findCardData({ db }: Context, { content }: Commit): Promise<JsonObject> {
  if (content.kind === 'version') return content.version.card ? describeFrontMatter(content.version.card) : bare
  if (content.kind !== 'revision') return bare
  if (content.readmeSha256 === null) {
    const card = await findCard(db, content.revisionId)
    return card ? describeFrontMatter(card) : bare
  }
  const readme = await findReadme(db, content.datasetId, content.readmeSha256)
  return (await readFront(readme ?? '')) ?? bare
}

/** As the Hub derives them from a card: `license:mit`, `language:en`, and those that people wrote. */
export function listHubTags({ task_categories, license, language, tags }: JsonObject): string[] {
  const prefixed = (prefix: string, value: JsonValue | undefined): string[] => toTexts(value).map((one) => prefix + one)
  return [
    ...prefixed('task_categories:', task_categories),
    ...prefixed('license:', license),
    ...prefixed('language:', language),
    ...toTexts(tags),
  ]
}

const toTexts = (value: JsonValue | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
