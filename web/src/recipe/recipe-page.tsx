import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { checkRulesQuery, checksQuery } from '../data/checks.ts'
import { filteringQuery, type Manifest, useManifest } from '../data/dataset.ts'
import { annotationSetsQuery } from '../data/episodes/episode-rows.ts'
import { useFlags } from '../data/flags.ts'
import { useDraftSync } from '../data/recipe/draft-sync.ts'
import { changeRecipe, type Recipe, useDraft } from '../data/recipe/recipe-draft.ts'
import { useRecipeTarget } from '../data/recipe/recipe-target.ts'
import type { ActionDimension } from '../data/recipe/smoothed-dimensions.ts'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatBytes, plural } from '../parts/formats.ts'
import { useMediaQuery } from '../parts/media-query.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useKeys } from '../session/keys.ts'
import { nameUnread, type UnreadLists } from './episodes/unread-lists.ts'
import { useShownFrame } from './pictures/use-shown-frame.ts'
import { RecipeBar } from './recipe-bar.tsx'
import { RecipePane } from './recipe-pane.tsx'
import { RecipeOutcome } from './result/recipe-outcome.tsx'
import { type RecipePreview, useRecipePreview } from './result/use-recipe-preview.ts'
import { useVersionCreation } from './result/use-version-creation.tsx'
import { SharedDraft } from './shared-draft.tsx'
import { useMergePreview } from './sources/use-merge-preview.ts'
import { Steps } from './steps.tsx'
import './recipe-page.css'

const routeApi = getRouteApi('/signed-in/datasets/$datasetId/recipe')

export function RecipePage() {
  const { datasetId } = routeApi.useParams()
  const dataset = useManifest(datasetId)
  const title = dataset.data?.title
  useEffect(() => {
    document.title = `Recipe${title ? ` for ${title}` : ''} · nmp`
  }, [title])
  if (dataset.data) return <WaitForChoices dataset={dataset.data} />
  return (
    <div className="page">
      {dataset.error ? <Failure error={dataset.error} what="The dataset did not load" /> : <Skeleton />}
    </div>
  )
}

/** What the step for episodes offers comes in several answers; on a phone each would push the steps below it further down. */
function WaitForChoices({ dataset }: { dataset: Manifest }) {
  const awaited = [
    useFlags(dataset),
    useQuery(filteringQuery(dataset.id)),
    useQuery(annotationSetsQuery(dataset)),
    useQuery(checkRulesQuery),
    useQuery(checksQuery(dataset.id, dataset)),
  ]
  if (!awaited.some(({ isLoading }) => isLoading)) return <RecipeBuilder dataset={dataset} />
  return (
    <div className="page">
      <Skeleton />
    </div>
  )
}

/** The steps on the left, what the chosen one does in the middle, what comes of it on the right; on a phone one below the other. */
function RecipeBuilder({ dataset }: { dataset: Manifest }) {
  const { recipe, merge } = useDraft(dataset.id)
  const { step = dataset.observation.cameras.length > 0 ? 'crop' : 'episodes', draft } = routeApi.useSearch()
  const go = routeApi.useNavigate()
  useDraftSync(dataset.id)
  const isNarrow = useMediaQuery('(max-width: 860px)')
  const [isResultOpen, setResultOpen] = useState(false)
  const [unread, setUnread] = useState<UnreadLists>({})
  const unreadFault = nameUnread(unread, recipe)
  const target = useRecipeTarget(dataset)
  const shown = useShownFrame(dataset, recipe, step)
  const preview = useRecipePreview(dataset, target, recipe, shown.episode)
  const merged = useMergePreview(target, recipe, merge)
  const version = useVersionCreation(dataset, target, {
    unread: unreadFault,
    isRefused: preview.isRefused || merged.isRefused,
  })
  useKeys({ 'mod+Enter': version.create })
  const cameras = dataset.observation.cameras.filter(
    ({ key }) => !recipe.camera_keys?.length || recipe.camera_keys.includes(key),
  )
  const dimensions = listDimensions(dataset, preview)
  const error = preview.error ?? merged.error ?? version.refusal
  const result = merge ? merged.result : preview.result
  const pane = (
    <RecipePane
      {...{ dataset, target, recipe, merge, step, cameras, shown, preview, merged, unread, error, isNarrow }}
      onUnread={setUnread}
    />
  )
  const outcome = (
    <RecipeOutcome {...{ dataset, target, preview, merged, version }} isPart={unreadFault !== undefined} />
  )
  return (
    <>
      <RecipeBar dataset={dataset} version={version} onStartOver={() => setUnread({})} />
      {draft && (
        <SharedDraft
          datasetId={dataset.id}
          draftId={draft}
          onClose={() => void go({ search: { step }, replace: true })}
        />
      )}
      <div className="recipe">
        <aside className="recipe-left" aria-label="Recipe">
          <div className="row pad-x-16 height-36">
            <h2>Recipe</h2>
            <span className="end small dim">applied in this order</span>
          </div>
          <Steps
            dataset={dataset}
            recipe={recipe}
            merge={merge}
            current={step}
            onCurrent={(next) => void go({ search: (old) => ({ ...old, step: next }), replace: true })}
            kept={cameras}
            dimensions={dimensions}
            error={error}
            unread={unreadFault}
            pane={isNarrow ? pane : undefined}
          />
          <Note datasetId={dataset.id} recipe={recipe} />
        </aside>
        {!isNarrow && (
          <section className="recipe-centre" aria-label="Preview">
            {pane}
          </section>
        )}
        {!isNarrow && <aside className="recipe-right">{outcome}</aside>}
      </div>
      <div className="recipe-bottom">
        <button type="button" className="link" onClick={() => setResultOpen(true)}>
          {version.hindrance ? (
            <span className="text-flag">{version.hindrance}</span>
          ) : (
            result && `${plural(result.episode_count, 'episode')}, ${formatBytes(result.estimated_bytes)}`
          )}
        </button>
        <span className="end">
          <Button look="primary" disabled={!version.isReady} onClick={version.create}>
            Create version {version.number}
          </Button>
        </span>
      </div>
      <Dialog title="Result" open={isNarrow && isResultOpen} onClose={() => setResultOpen(false)} sheet="full">
        {outcome}
      </Dialog>
    </>
  )
}

/** Where an action is too long to be looked at for a preview, none of its dimensions is known to be a switch. */
function listDimensions(dataset: Manifest, preview: RecipePreview): ActionDimension[] | undefined {
  if (!preview.result && !preview.isRefused) return undefined
  const { names = [], is_switch: isSwitch = [] } = preview.result?.action ?? {}
  return (dataset.action?.names ?? names).map((name, at) => ({ name, isSwitch: isSwitch[at] ?? false }))
}

const Note = ({ datasetId, recipe }: { datasetId: string; recipe: Recipe }) => (
  <div className="pad-x-16 pad-y-10">
    <label className="block">
      <span className="label">Note</span>
      <span className="field area">
        <textarea
          rows={2}
          maxLength={10_000}
          placeholder="Why you are making this version"
          value={recipe.notes ?? ''}
          onChange={(event) => changeRecipe(datasetId, { notes: event.target.value || null })}
        />
      </span>
    </label>
  </div>
)
