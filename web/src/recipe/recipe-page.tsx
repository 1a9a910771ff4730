import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import './recipe.css'
import { episodesQuery, type Manifest, useManifest } from '../data/dataset.ts'
import {
  changeDraft,
  changeRecipe,
  emptyRecipe,
  findShownEpisode,
  type Recipe,
  useDraft,
} from '../data/recipe-draft.ts'
import { isVersionId } from '../data/version-id.ts'
import { createVersion, datasetVersionsQuery, queueExport } from '../data/versions.ts'
import { Button, Field } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { suggestSlug } from '../parts/dropped-files.ts'
import { findFault } from '../parts/faults.ts'
import { formatBytes, plural } from '../parts/formats.ts'
import { nameCommand } from '../parts/key-names.ts'
import { useMediaQuery } from '../parts/media-query.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { formatRelative } from '../parts/time.tsx'
import { showFault, showToast } from '../parts/toasts.tsx'
import { useKeys } from '../session/keys.ts'
import { signIn, useSession } from '../session/sign-in.ts'
import { canEdit, useWorkspace } from '../session/workspace.ts'
import { VersionCard } from '../version/version-card.tsx'
import { ActionPane } from './action-pane.tsx'
import { CropPane } from './crop-pane.tsx'
import { EpisodesPane } from './episodes-pane.tsx'
import { previewQuery } from './preview-query.ts'
import { RecipeJson } from './recipe-json.tsx'
import { Result } from './result.tsx'
import { isSendable } from './step-fields.tsx'
import { type StepName, Steps } from './steps.tsx'
import { nameUnread, type UnreadLists } from './unread-lists.ts'
import { VersionMade } from './version-made.tsx'

const routeApi = getRouteApi('/datasets/$datasetId/recipe')

export function RecipePage() {
  const { datasetId } = routeApi.useParams()
  const dataset = useManifest(datasetId)
  const session = useSession()
  const title = dataset.data?.title
  useEffect(() => {
    document.title = `Recipe${title ? ` for ${title}` : ''} · nmp`
  }, [title])
  if (!dataset.data)
    return (
      <div className="page">
        {dataset.error ? <Failure error={dataset.error} what="The dataset did not load" /> : <Skeleton />}
      </div>
    )
  if (session !== 'signed-in')
    return (
      <div className="page">
        <p className="mb-3">A recipe makes a version in a project of yours.</p>
        <Button look="primary" onClick={() => void signIn()}>
          Sign in
        </Button>
      </div>
    )
  return <Builder dataset={dataset.data} />
}

function Builder({ dataset }: { dataset: Manifest }) {
  const draft = useDraft(dataset.id)
  const { recipe } = draft
  const workspace = useWorkspace()
  const cache = useQueryClient()
  // In its own project where one may write there, else as a catalog dataset in the project one works in.
  const isOwn = canEdit(dataset.role)
  const org = isOwn ? dataset.org_slug : (workspace?.org ?? dataset.org_slug)
  const project = isOwn ? dataset.project_slug : (workspace?.project ?? 'default')
  const mayCreate = isOwn || canEdit(workspace?.role)
  const source = { dataset_kind: findSourceKind(dataset.id, isOwn), dataset_id: dataset.id }
  const { step = dataset.observation.cameras.length > 0 ? 'crop' : 'episodes' } = routeApi.useSearch()
  const go = routeApi.useNavigate()
  const setStep = (next: StepName) => void go({ search: { step: next }, replace: true })
  const [isJsonOpen, setJsonOpen] = useState(false)
  const isNarrow = useMediaQuery('(max-width: 860px)')
  const [isResultOpen, setResultOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [episode, setEpisode] = useState(0)
  const [frame, setFrame] = useState<number>()
  const settled = useDelayed(recipe, 150)
  const previewed = useMemo(
    () => findShownEpisode(settled, dataset.metrics.total_episodes, episode),
    [settled, dataset.metrics.total_episodes, episode],
  )
  const preview = useQuery({ ...previewQuery(org, source, settled, previewed), enabled: isSendable(settled) })
  const [refusal, setRefusal] = useState<unknown>()
  const [unread, setUnread] = useState<UnreadLists>({})
  const [made, setMade] = useState<{ version: Version; recipe: Recipe }>()
  const lastPreview = useRef(preview.data)
  if (preview.data) lastPreview.current = preview.data
  const result = preview.data ?? lastPreview.current
  const previewError = preview.isFetching ? undefined : preview.error
  const isOld = preview.isPlaceholderData || settled !== recipe || preview.isFetching || preview.isError
  const versions = useQuery(datasetVersionsQuery(org, project, dataset.id))
  const shown = useQuery(episodesQuery(dataset.id, { offset: episode, limit: 1 }))
  const length = shown.data?.items[0]?.length_frames ?? 1
  const kept = dataset.observation.cameras.filter(
    ({ key }) => !recipe.camera_keys?.length || recipe.camera_keys.includes(key),
  )
  const slug = draft.slug || `${suggestSlug(dataset.slug)}-curated`.slice(0, 100)
  const existing = versions.data?.filter((version) => version.slug === slug) ?? []
  const number = Math.max(0, ...existing.map(({ version }) => version)) + 1
  const isSlug = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)
  const unreadFault = nameUnread(unread, recipe)
  const hindrance =
    unreadFault ??
    (isSendable(recipe) ? undefined : 'The target size is invalid.') ??
    (isSlug ? undefined : 'The short name is invalid.') ??
    (mayCreate ? undefined : 'Your role there is viewer; creating needs editor.')
  const mayNotCreate = hindrance !== undefined || isBusy || preview.error !== null
  // Until the recipe or its name changes, the way on is the version that was made of it.
  const current = made?.recipe === recipe && made.version.slug === slug ? made.version : undefined
  const fail = (error: Error) => showFault(error.message)
  const startExport = (version: Version) =>
    void queueExport(version.org_slug, version.id).then(() => {
      showToast(`Export of ${version.slug} ${version.version} has begun`)
      return cache.invalidateQueries({ queryKey: ['versions'] })
    }, fail)
  const create = () => {
    if (mayNotCreate) return
    setBusy(true)
    setRefusal(undefined)
    createVersion(org, { slug, name: draft.name || slug, project_slug: project, source, recipe })
      .then(
        ({ item }) => {
          setMade({ version: item, recipe })
          showToast(<VersionMade version={item} onExport={() => startExport(item)} />)
          void cache.invalidateQueries({ queryKey: ['versions'] })
        },
        (error: Error) => {
          setRefusal(error)
          fail(error)
        },
      )
      .finally(() => setBusy(false))
  }
  useKeys({ 'mod+Enter': create })
  const isListed = versions.data?.some(({ id }) => id === made?.version.id)
  useEffect(() => {
    if (isListed) document.querySelector(`[data-version="${made?.version.id}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [isListed, made])
  const hasCrop = step !== 'episodes' && step !== 'annotations' && kept.length > 0 && !(isNarrow && step === 'action')
  const cropPane = hasCrop && (
    <CropPane
      key="crop"
      dataset={dataset}
      recipe={recipe}
      cameras={kept}
      episode={episode}
      lengthFrames={length}
      frame={Math.min(frame ?? Math.floor(length / 2), length - 1)}
      onFrame={setFrame}
      onEpisode={(next) => {
        setEpisode(next)
        setFrame(undefined)
      }}
    />
  )
  const actionPane = step !== 'episodes' && (!isNarrow || step === 'action') && (
    <ActionPane key="action" action={result?.action ?? null} step={recipe.action} isOld={isOld} />
  )
  // The chosen step stands first.
  const pane =
    step === 'episodes' ? (
      <EpisodesPane dataset={dataset} recipe={recipe} unread={unread} onUnread={setUnread} />
    ) : step === 'action' ? (
      [actionPane, cropPane]
    ) : (
      [cropPane, actionPane]
    )
  const outcome = (
    <>
      <Result
        dataset={dataset}
        preview={result}
        isOld={isOld}
        isPart={unreadFault !== undefined}
        error={previewError}
      />
      <div className="mt-4 grid gap-2">
        <Field
          label="Short name of the version"
          showLabel
          value={draft.slug}
          placeholder={slug}
          maxLength={100}
          fault={isSlug ? findFault(refusal, 'slug') : 'Lower-case letters, digits and single hyphens.'}
          onChange={(event) => changeDraft(dataset.id, { slug: event.target.value })}
        />
        {current && (
          <Link className="btn pri w-full" to="/datasets/$datasetId" params={{ datasetId: current.id }}>
            Open version {current.version}
          </Link>
        )}
        <Button
          look={current ? 'default' : 'primary'}
          shortcut={nameCommand('⏎')}
          className="w-full"
          disabled={mayNotCreate}
          aria-describedby="create-hindrance"
          onClick={create}
        >
          Create version {number}
        </Button>
        <span className="sm dim">
          In {org} / {project}.{' '}
          <span id="create-hindrance" className="c-flag">
            {hindrance}
          </span>
        </span>
      </div>
      {versions.data?.map((version) => (
        <VersionCard key={version.id} version={version} mayExport={mayCreate} />
      ))}
    </>
  )
  return (
    <>
      <div className="subbar">
        <span className="crumb">
          <Link to="/datasets/$datasetId" params={{ datasetId: dataset.id }} className="clip" style={{ maxWidth: 220 }}>
            {dataset.title}
          </Link>
          <i>/</i>
          <Link className="desk" to="/datasets/$datasetId/versions" params={{ datasetId: dataset.id }}>
            Versions
          </Link>
          <i className="desk">/</i>
        </span>
        <h1 className="clip">{slug}</h1>
        <span className="chip line desk">draft of version {number}</span>
        <span className="dim desk clip">
          source {isVersionId(dataset.id) ? 'version' : 'revision'} {dataset.revision_number}, never changed by a recipe
        </span>
        <span className="end row">
          {draft.savedAt > 0 && (
            <span className="sm dim desk whitespace-nowrap">Saved {formatRelative(new Date(draft.savedAt))}</span>
          )}
          <Button
            small
            onClick={() => {
              changeDraft(dataset.id, { recipe: emptyRecipe })
              setUnread({})
              showToast('The recipe is empty again', () => changeDraft(dataset.id, { recipe }))
            }}
          >
            Start over
          </Button>
          <Button small onClick={() => setJsonOpen(true)}>
            <span className="desk">Recipe as </span>JSON
          </Button>
        </span>
      </div>
      <div className="rb">
        <aside className="rb-left" aria-label="Recipe">
          <div className="row px-4" style={{ height: 36 }}>
            <h2>Recipe</h2>
            <span className="end sm dim">applied in this order</span>
          </div>
          <Steps
            dataset={dataset}
            recipe={recipe}
            current={step}
            onCurrent={setStep}
            kept={kept}
            error={previewError ?? refusal}
            unread={unreadFault}
            pane={isNarrow ? pane : undefined}
          />
          <div className="px-4 py-2.5">
            <label className="block">
              <span className="label">Note</span>
              <span className="field area">
                <textarea
                  rows={2}
                  maxLength={10_000}
                  placeholder="Why you are making this version"
                  value={recipe.notes ?? ''}
                  onChange={(event) => changeRecipe(dataset.id, { notes: event.target.value || null })}
                />
              </span>
            </label>
          </div>
        </aside>
        {!isNarrow && (
          <section className="rb-centre" aria-label="Preview">
            {pane}
          </section>
        )}
        {!isNarrow && <aside className="rb-right">{outcome}</aside>}
      </div>
      <div className="rb-bottom">
        <button type="button" className="lk" onClick={() => setResultOpen(true)}>
          {hindrance ? (
            <span className="c-flag">{hindrance}</span>
          ) : (
            result && `${plural(result.episode_count, 'episode')}, ${formatBytes(result.estimated_bytes)}`
          )}
        </button>
        <span className="end">
          <Button look="primary" disabled={mayNotCreate} onClick={create}>
            Create version {number}
          </Button>
        </span>
      </div>
      <Dialog title="Result" open={isNarrow && isResultOpen} onClose={() => setResultOpen(false)} sheet="full">
        {outcome}
      </Dialog>
      <RecipeJson recipe={recipe} open={isJsonOpen} onClose={() => setJsonOpen(false)} />
    </>
  )
}

const findSourceKind = (id: string, isOwn: boolean) =>
  isVersionId(id) ? ('version' as const) : isOwn ? ('project' as const) : ('catalog' as const)

function useDelayed<T>(value: T, milliseconds: number): T {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return delayed
}
