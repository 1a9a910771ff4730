import { Link } from '@tanstack/react-router'
import type { Manifest } from '../data/dataset.ts'
import { changeDraft, useDraft } from '../data/recipe-draft.ts'
import { Button, Field } from '../parts/controls.tsx'
import { findFault } from '../parts/faults.ts'
import { nameCommand } from '../parts/key-names.ts'
import { isSlug } from '../parts/slug-field.tsx'
import { VersionCard } from '../version/version-card.tsx'
import type { RecipeTarget } from './recipe-target.ts'
import { Result } from './result.tsx'
import type { RecipePreview } from './use-recipe-preview.ts'
import type { VersionCreation } from './use-version-creation.tsx'

interface RecipeOutcomeProps {
  dataset: Manifest
  target: RecipeTarget
  preview: RecipePreview
  version: VersionCreation
  /** Something that was typed is not in it. */
  isPart: boolean
}

/** What the recipe gives, the button that makes it, and what was made of this dataset before. */
export function RecipeOutcome({ dataset, target, preview, version, isPart }: RecipeOutcomeProps) {
  const { slug, number, current, hindrance } = version
  const draft = useDraft(dataset.id)
  return (
    <>
      <Result dataset={dataset} preview={preview.result} isOld={preview.isOld} isPart={isPart} error={preview.error} />
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
