import { type Static, Type } from 'typebox'
import { versionRecord } from '../../versions/record.ts'

const { org_slug, project_slug, slug, version, name, source, recipe, recipe_counts, composition } =
  versionRecord.properties

/** The lineage of a copy: which version, of what, made how. */
export const copiedFrom = Type.Object(
  {
    version_id: Type.String(),
    org_slug,
    project_slug,
    slug,
    version,
    name,
    source,
    recipe,
    recipe_counts,
    composition,
    recipe_sha256: Type.String(),
  },
  {
    $id: 'CopiedFrom',
    description:
      'The version that was copied, as it was when the copy was requested; it may no longer exist. Index lists of over 1,000 entries are null, as in a list of versions.',
  },
)
export type CopiedFrom = Static<typeof copiedFrom>
