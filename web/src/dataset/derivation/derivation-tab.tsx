import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Manifest, useManifest } from '../../data/dataset.ts'
import { readVersion } from '../../data/recipe/merge-draft.ts'
import { changeDraft } from '../../data/recipe/recipe-draft.ts'
import { refresh } from '../../data/refresh.ts'
import { deleteVersion, versionQuery } from '../../data/versions.ts'
import { Button } from '../../parts/controls.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ConfirmLoss } from '../../parts/dialog.tsx'
import { formatBytes } from '../../parts/formats.ts'
import { LoadInPython } from '../../parts/load-in-python.tsx'
import { Failure, Skeleton } from '../../parts/states.tsx'
import { VisibilitySection } from '../../publishing/visibility-section.tsx'
import { useSession } from '../../session/sign-in.ts'
import { canEdit } from '../../session/workspace.ts'
import { ExportDialog } from '../../version/export-dialog.tsx'
import { ExportForms } from '../../version/export-forms.tsx'
import { MergedSources } from '../../version/merged-sources.tsx'
import { RecipeWords } from '../../version/recipe-words.tsx'
import { download, VersionCard } from '../../version/version-card.tsx'
import { useVisibility, versionAlsoSeen } from '../../version/visibility.tsx'
import { CopySection } from './copy-section.tsx'
import { RenameVersion } from './rename-version.tsx'
import '../dataset-frame.css'
import './derivation-tab.css'

const routeApi = getRouteApi('/datasets/$datasetId/derivation')

/** How a version was made of its source, and what can be made of it: its recipe, its export, the way to load it. */
export function DerivationTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  // Members of the organization follow its export; of a public one everybody knows the recipe from the manifest.
  const isMember = dataset !== undefined && dataset.role !== null
  const version = useQuery({ ...versionQuery(dataset?.org_slug ?? '', datasetId), enabled: isMember })
  const shown = isMember ? version.data : dataset?.derived_version
  return (
    <div className="tab-page">
      {version.error && (
        <Failure error={version.error} what="The version did not load" onRetry={() => void version.refetch()} />
      )}
      {version.isLoading && <Skeleton />}
      {shown && dataset && <Derivation version={shown} dataset={dataset} />}
    </div>
  )
}

function Derivation({ version, dataset }: { version: Version; dataset: Manifest }) {
  const navigate = useNavigate()
  const [isExporting, setExporting] = useState(false)
  const changeVisibility = useVisibility(version)
  const session = useSession()
  const mayEdit = canEdit(dataset.role)
  const artifact = version.export_artifacts.find(({ key }) => key === 'lerobot')
  const { sources } = version
  const recipe = JSON.stringify(sources ? { sources, ...weighing(version) } : version.recipe, null, 2)
  const changeCopy = () => {
    changeDraft(version.source.dataset_id, { slug: version.slug, ...readVersion(version) })
    void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: version.source.dataset_id } })
  }
  return (
    <div className="grid gap-28 max-width-640">
      <section>
        <div className="row wrap below-8">
          <h2>{sources ? 'Sources' : 'Recipe'}</h2>
          <span className="mid">
            {sources ? 'of which the first is ' : 'on '}
            <Link className="link" to="/datasets/$datasetId" params={{ datasetId: version.source.dataset_id }}>
              {version.source.title}
            </Link>
            , {version.source.dataset_kind === 'version' ? 'version' : 'revision'} {version.source.revision_number}
          </span>
          <span className="end row wrap">
            {session === 'signed-in' && (
              <Link
                className="button"
                to="/orgs/$org/compare"
                params={{ org: version.org_slug }}
                search={{ from: version.source.dataset_id, to: version.id }}
              >
                Compare with…
              </Link>
            )}
            {mayEdit && <RenameVersion version={version} />}
            {mayEdit && <Button onClick={changeCopy}>Change the recipe</Button>}
          </span>
        </div>
        {sources ? (
          <MergedSources version={version} />
        ) : version.composition.length > 0 ? (
          <RecipeChain version={version} />
        ) : (
          <RecipeWords recipe={version.recipe} />
        )}
        {version.recipe.notes && <p className="callout calm above-12">{version.recipe.notes}</p>}
        <details className="above-12">
          <summary className="link small">As JSON</summary>
          <pre className="code above-8">{recipe}</pre>
          <CopyButton text={recipe} small>
            Copy
          </CopyButton>
        </details>
      </section>
      {dataset.role && (
        <section>
          <h2 className="below-8">Export</h2>
          <VersionCard version={version} mayExport={mayEdit} isLead />
          <ExportForms version={version} mayExport={mayEdit} />
          {mayEdit && (
            <p className="above-8">
              <Button onClick={() => setExporting(true)}>Export for another trainer</Button>
            </p>
          )}
          {isExporting && <ExportDialog version={version} onClose={() => setExporting(false)} />}
          {artifact?.checksum_sha256 && (
            <p className="small mid above-8">
              sha256 of the .tar: <span className="mono break-anywhere">{artifact.checksum_sha256}</span>
            </p>
          )}
          <button type="button" className="link small above-8" onClick={() => void download(version, 'manifest')}>
            Download the manifest
          </button>
        </section>
      )}
      <section>
        <h2 className="below-8">Load in Python</h2>
        <LoadInPython
          org={version.org_slug}
          project={version.project_slug}
          slug={version.slug}
          revision={`version-${version.version}`}
          isPublic={version.visibility === 'public'}
        />
        <p className="small mid above-8">
          Its files are made when they are first asked for; nothing has to be exported before.
        </p>
      </section>
      {session === 'signed-in' && <CopySection version={version} />}
      {dataset.role && (
        <VisibilitySection
          dataset={{ ...dataset, visibility: version.visibility }}
          alsoSeen={versionAlsoSeen}
          onChange={changeVisibility}
        />
      )}
      {mayEdit && <DeleteVersion version={version} sizeBytes={artifact?.size_bytes ?? 0} />}
    </div>
  )
}

const weighing = ({ seed, task_weights, task_samples }: Version) => ({ seed, task_weights, task_samples })

/** Of a version of a version: every recipe, the first one first; each speaks in the episode numbers of what it was made of. */
function RecipeChain({ version }: { version: Version }) {
  return (
    <ol className="recipe-chain">
      {version.composition.map(({ version_id: id, slug, version: number, recipe }) => (
        <li key={id}>
          <p className="below-4">
            <Link className="link" to="/datasets/$datasetId" params={{ datasetId: id }}>
              {slug} {number}
            </Link>
          </p>
          <RecipeWords recipe={recipe} />
        </li>
      ))}
      <li>
        <p className="below-4">
          <b>This version</b> <span className="mid">applied to that result</span>
        </p>
        <RecipeWords recipe={version.recipe} />
      </li>
    </ol>
  )
}

function DeleteVersion({ version, sizeBytes }: { version: Version; sizeBytes: number }) {
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <section>
      <h2>Delete</h2>
      <p className="mid above-4 below-8">At once and for good. Its source and copies of it stay.</p>
      <Button look="danger" onClick={() => setDeleting(true)}>
        Delete version
      </Button>
      <ConfirmLoss
        title={`Delete version ${version.version} of ${version.slug}?`}
        word={version.slug}
        verb="Delete"
        open={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await deleteVersion(version.org_slug, version.id)
          void refresh.versions()
          void navigate({
            to: '/orgs/$org/projects/$project/versions',
            params: { org: version.org_slug, project: version.project_slug },
          })
        }}
      >
        {sizeBytes > 0 ? `${formatBytes(sizeBytes)} will be freed, and download links stop working at once. ` : ''}The
        source dataset is not touched.
      </ConfirmLoss>
    </section>
  )
}
