import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Manifest } from '../data/dataset.ts'
import { changeDraft, emptyRecipe, useDraft } from '../data/recipe-draft.ts'
import { isVersionId } from '../data/version-id.ts'
import { Button } from '../parts/controls.tsx'
import { formatRelative } from '../parts/time.tsx'
import { showToast } from '../parts/toasts.tsx'
import { RecipeJson } from './recipe-json.tsx'
import type { VersionCreation } from './use-version-creation.tsx'

interface RecipeBarProps {
  dataset: Manifest
  version: Pick<VersionCreation, 'slug' | 'number'>
  onStartOver(): void
}

/** Where one is, what is being made, and what can be done with the recipe as a whole. */
export function RecipeBar({ dataset, version, onStartOver }: RecipeBarProps) {
  const { recipe, savedAt } = useDraft(dataset.id)
  const [isJsonOpen, setJsonOpen] = useState(false)
  const startOver = () => {
    changeDraft(dataset.id, { recipe: emptyRecipe })
    onStartOver()
    showToast('The recipe is empty again', () => changeDraft(dataset.id, { recipe }))
  }
  return (
    <div className="subbar">
      <span className="crumb">
        <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} className="clip max-width-220">
          {dataset.title}
        </Link>
        <i>/</i>
        <Link className="desktop-only" to="/datasets/$datasetId/versions" params={{ datasetId: dataset.id }}>
          Versions
        </Link>
        <i className="desktop-only">/</i>
      </span>
      <h1 className="clip">{version.slug}</h1>
      <span className="chip line desktop-only">draft of version {version.number}</span>
      <span className="dim desktop-only clip">
        source {isVersionId(dataset.id) ? 'version' : 'revision'} {dataset.revision_number}, never changed by a recipe
      </span>
      <span className="end row">
        {savedAt > 0 && (
          <span className="small dim desktop-only nowrap">Saved {formatRelative(new Date(savedAt))}</span>
        )}
        <Button small onClick={startOver}>
          Start over
        </Button>
        <Button small onClick={() => setJsonOpen(true)}>
          <span className="desktop-only">Recipe as </span>JSON
        </Button>
      </span>
      <RecipeJson recipe={recipe} open={isJsonOpen} onClose={() => setJsonOpen(false)} />
    </div>
  )
}
