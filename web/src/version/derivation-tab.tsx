import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { canEdit } from '../app/workspace.ts'
import { useManifest } from '../dataset/queries.ts'
import { Button } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { ConfirmLoss } from '../parts/dialog.tsx'
import { formatBytes } from '../parts/formats.ts'
import { LoadInPython } from '../parts/load-in-python.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { changeDraft } from '../recipe/draft.ts'
import { RecipeWords } from '../recipe/recipe-words.tsx'
import '../recipe/recipe.css'
import { deleteVersion, versionQuery } from './queries.ts'
import { RenameVersion } from './rename-version.tsx'
import { download, VersionCard } from './version-card.tsx'

const routeApi = getRouteApi('/datasets/$datasetId/derivation')

/** How a version was made of its source, and what can be made of it: its recipe, its export, the way to load it. */
export function DerivationTab() {
  const { datasetId } = routeApi.useParams()
  const { data: dataset } = useManifest(datasetId)
  const version = useQuery({ ...versionQuery(dataset?.org_slug ?? '', datasetId), enabled: dataset !== undefined })
  return (
    <div className="tab-page">
      {version.error && (
        <Failure error={version.error} what="The version did not load" onRetry={() => void version.refetch()} />
      )}
      {version.isPending && <Skeleton />}
      {version.data && <Derivation version={version.data} mayEdit={canEdit(dataset?.role)} />}
    </div>
  )
}

function Derivation({ version, mayEdit }: { version: Version; mayEdit: boolean }) {
  const navigate = useNavigate()
  const artifact = version.export_artifacts.find(({ key }) => key === 'lerobot')
  const recipe = JSON.stringify(version.recipe, null, 2)
  const changeCopy = () => {
    changeDraft(version.source.dataset_id, { slug: version.slug, recipe: version.recipe })
    void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: version.source.dataset_id } })
  }
  return (
    <div className="grid gap-7" style={{ maxWidth: 640 }}>
      <section>
        <div className="row flex-wrap mb-2">
          <h2>Recipe</h2>
          <span className="mid">
            on{' '}
            <Link className="lk" to="/datasets/$datasetId" params={{ datasetId: version.source.dataset_id }}>
              {version.source.title}
            </Link>
            , {version.source.dataset_kind === 'version' ? 'version' : 'revision'} {version.source.revision_number}
          </span>
          <span className="end row flex-wrap">
            {mayEdit && <RenameVersion version={version} />}
            {mayEdit && <Button onClick={changeCopy}>Change the recipe</Button>}
          </span>
        </div>
        {version.composition.length > 0 && <RecipesBefore version={version} />}
        <RecipeWords recipe={version.recipe} />
        {version.recipe.notes && <p className="say calm mt-3">{version.recipe.notes}</p>}
        <details className="mt-3">
          <summary className="lk sm">As JSON</summary>
          <pre className="code mt-2">{recipe}</pre>
          <CopyButton text={recipe} small>
            Copy
          </CopyButton>
        </details>
      </section>
      <section>
        <h2 className="mb-2">Export</h2>
        <VersionCard version={version} mayExport={mayEdit} isLead />
        {artifact?.checksum_sha256 && (
          <p className="sm mid mt-2">
            sha256 of the .tar: <span className="mono wrap-anywhere">{artifact.checksum_sha256}</span>
          </p>
        )}
        <Button look="ghost" className="mt-2" onClick={() => void download(version, 'manifest')}>
          Download the manifest
        </Button>
      </section>
      <section>
        <h2 className="mb-2">Load in Python</h2>
        <LoadInPython
          org={version.org_slug}
          project={version.project_slug}
          slug={version.slug}
          revision={`version-${version.version}`}
          isPublic={false}
        />
        <p className="sm mid mt-2">
          Its files are made when they are first asked for; nothing has to be exported before.
        </p>
      </section>
      {mayEdit && <DeleteVersion version={version} sizeBytes={artifact?.size_bytes ?? 0} />}
    </div>
  )
}

/** Of a version of a version: what was done before its own recipe, oldest first; each speaks in the numbers of what it was made of. */
function RecipesBefore({ version }: { version: Version }) {
  return (
    <ol className="mb-3">
      {version.composition.map(({ version_id: id, slug, version: number, recipe }) => (
        <li key={id} className="mb-3">
          <p className="mid mb-1">
            First{' '}
            <Link className="lk" to="/datasets/$datasetId" params={{ datasetId: id }}>
              {slug} {number}
            </Link>
          </p>
          <RecipeWords recipe={recipe} />
        </li>
      ))}
      <li className="mid">Then its own recipe, on what that gives:</li>
    </ol>
  )
}

function DeleteVersion({ version, sizeBytes }: { version: Version; sizeBytes: number }) {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <section>
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
          void cache.invalidateQueries({ queryKey: ['versions'] })
          void navigate({
            to: '/orgs/$org/projects/$project/versions',
            params: { org: version.org_slug, project: version.project_slug },
          })
        }}
      >
        {sizeBytes > 0 ? `${formatBytes(sizeBytes)} are freed, and download links stop now. ` : ''}The source dataset is
        not touched.
      </ConfirmLoss>
    </section>
  )
}
