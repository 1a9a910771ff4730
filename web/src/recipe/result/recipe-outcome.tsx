import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { featureStatisticsQuery, type Manifest } from '../../data/dataset.ts'
import { changeDraft, useDraft } from '../../data/recipe/recipe-draft.ts'
import type { RecipeTarget } from '../../data/recipe/recipe-target.ts'
import { Button, Field } from '../../parts/controls.tsx'
import { describe, findFault } from '../../parts/faults.ts'
import { nameCommand } from '../../parts/key-names.ts'
import { isSlug } from '../../parts/slug-field.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { VersionCard } from '../../version/version-card.tsx'
import { MergeResult } from '../sources/merge-result.tsx'
import { listSourceFaults } from '../sources/source-faults.ts'
import type { MergePreviewed } from '../sources/use-merge-preview.ts'
import { Result } from './result.tsx'
import type { RecipePreview } from './use-recipe-preview.ts'
import type { VersionCreation } from './use-version-creation.tsx'

interface RecipeOutcomeProps {
  dataset: Manifest
  target: RecipeTarget
  preview: RecipePreview
  merged: MergePreviewed
  version: VersionCreation
  /** Something that was typed is not in it. */
  isPart: boolean
}

/** What the recipe gives, the button that makes it, and what was made of this dataset before. */
export function RecipeOutcome({ dataset, target, preview, merged, version, isPart }: RecipeOutcomeProps) {
  const { slug, number, current, hindrance } = version
  const draft = useDraft(dataset.id)
  // What stands below the result comes with it, and is not pushed down by it.
  const statistics = useQuery(featureStatisticsQuery(dataset.id))
  if (!draft.merge && (preview.isAwaited || statistics.isLoading)) return <Skeleton rows={4} height={64} />
  return (
    <>
      {draft.merge ? (
        <MergedOutcome preview={preview} merged={merged} taskWeights={draft.merge.taskWeights} />
      ) : (
        <Result
          dataset={dataset}
          preview={preview.result}
          isOld={preview.isOld}
          isPart={isPart}
          error={preview.error}
        />
      )}
      <div className="above-16 grid gap-8">
        <Field
          label="Short name of the version"
          showLabel
          value={draft.slug}
          placeholder={slug}
          maxLength={100}
          fault={isSlug(slug) ? findFault(version.refusal, 'slug') : 'Lower-case letters, digits and single hyphens.'}
          onChange={(event) => changeDraft(dataset.id, { slug: event.target.value })}
        />
        {current && (
          <Link className="button primary full-width" to="/datasets/$datasetId" params={{ datasetId: current.id }}>
            Open version {current.version}
          </Link>
        )}
        <Button
          look={current ? 'default' : 'primary'}
          shortcut={nameCommand('⏎')}
          className="full-width"
          disabled={!version.isReady}
          aria-describedby="create-hindrance"
          onClick={version.create}
        >
          Create version {number}
        </Button>
        <span className="small dim">
          In {target.org} / {target.project}.{' '}
          <span id="create-hindrance" className="text-flag">
            {hindrance}
          </span>
        </span>
      </div>
      {version.versions?.map((one) => (
        <VersionCard key={one.id} version={one} mayExport={target.mayCreate} />
      ))}
    </>
  )
}

interface MergedOutcomeProps extends Pick<RecipeOutcomeProps, 'preview' | 'merged'> {
  taskWeights: Record<string, number> | null
}

/** What is refused of the first recipe is said as it is; what is refused of the sources stands at their lines. */
function MergedOutcome({ preview, merged, taskWeights }: MergedOutcomeProps) {
  const error = preview.error ?? merged.error
  const faults = listSourceFaults(error)
  return (
    <MergeResult
      preview={merged}
      taskWeights={taskWeights}
      faults={faults}
      refusal={error && faults.length === 0 ? describe(error) : undefined}
    />
  )
}
