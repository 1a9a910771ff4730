import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { canEdit, useMe } from '../app/workspace.ts'
import { Button } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { ConfirmLoss } from '../parts/dialog.tsx'
import { formatBytes, formatCount, plural } from '../parts/formats.ts'
import { LoadInPython } from '../parts/load-in-python.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { changeDraft } from '../recipe/draft.ts'
import '../recipe/recipe.css'
import { RecipeWords } from '../recipe/recipe-words.tsx'
import { RenameVersion } from './rename-version.tsx'
import { download, VersionCard } from './version-card.tsx'
import { deleteVersion, versionFilesQuery, versionQuery } from './version-queries.ts'

const routeApi = getRouteApi('/orgs/$org/versions/$versionId')

export function VersionPage() {
  const { org, versionId } = routeApi.useParams()
  const version = useQuery(versionQuery(org, versionId))
  useEffect(() => {
    document.title = `${version.data ? `${version.data.slug} ${version.data.version}` : 'Version'} · nmp`
  }, [version.data])
  if (!version.data)
    return (
      <div className="page">
        {version.error ? <Failure error={version.error} what="The version did not load" /> : <Skeleton />}
      </div>
    )
  return <Details version={version.data} />
}

function Details({ version }: { version: Version }) {
  const me = useMe()
  const navigate = useNavigate()
  const cache = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const role = me.data?.projects.find(
    (one) => one.org_slug === version.org_slug && one.project_slug === version.project_slug,
  )?.role
  const artifact = version.export_artifacts.find(({ key }) => key === 'lerobot')
  const files = useQuery({ ...versionFilesQuery(version.org_slug, version.id), enabled: artifact?.status === 'ready' })
  const recipe = JSON.stringify(version.recipe, null, 2)
  return (
    <div className="page doc">
      <div className="row flex-wrap">
        <h1>
          {version.name} <span className="dim">version {version.version}</span>
        </h1>
        {version.name !== version.slug && <span className="mono dim">{version.slug}</span>}
        <span className="end row flex-wrap">
          {canEdit(role) && <RenameVersion version={version} />}
          <Button onClick={() => void download(version, 'manifest')}>Manifest</Button>
          {canEdit(role) && (
            <Button
              onClick={() => {
                changeDraft(version.source.dataset_id, { slug: version.slug, recipe: version.recipe })
                void navigate({ to: '/datasets/$datasetId/recipe', params: { datasetId: version.source.dataset_id } })
              }}
            >
              Change the recipe
            </Button>
          )}
        </span>
      </div>
      <p className="mid mt-1">
        Of{' '}
        <Link className="lk" to="/datasets/$datasetId" params={{ datasetId: version.source.dataset_id }}>
          {version.source.title}
        </Link>
        , revision {version.source.revision_number}: {plural(version.episode_count, 'episode')},{' '}
        {plural(version.frame_count, 'frame')}. It never changes.
      </p>
      <div style={{ maxWidth: 560 }}>
        <VersionCard version={version} mayExport={canEdit(role)} isLead />
      </div>
      {version.recipe.notes && <p className="say calm mt-4">{version.recipe.notes}</p>}
      <section className="mt-6">
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
      <section className="mt-6">
        <h2 className="mb-2">Recipe</h2>
        <RecipeWords recipe={version.recipe} />
        <details className="mt-3">
          <summary className="lk sm">As JSON</summary>
          <pre className="code mt-2">{recipe}</pre>
          <CopyButton text={recipe} small>
            Copy
          </CopyButton>
        </details>
      </section>
      {artifact?.checksum_sha256 && (
        <p className="sm mid mt-3">
          sha256 of the .tar: <span className="mono wrap-anywhere">{artifact.checksum_sha256}</span>
        </p>
      )}
      {files.data && (
        <section className="mt-6">
          <h2>Files</h2>
          <table className="t mt-1">
            <tbody>
              {files.data.items.map((file) => (
                <tr key={file.path}>
                  <td className="mono">
                    <a href={file.url} title={`sha256 ${file.checksum_sha256}`}>
                      {file.path}
                    </a>
                  </td>
                  <td className="r">{formatBytes(file.size_bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {files.data.next_cursor && (
            <p className="sm dim mt-2">
              The first {formatCount(files.data.items.length)} are listed; the .tar holds all.
            </p>
          )}
        </section>
      )}
      {canEdit(role) && (
        <section className="mt-8">
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete version
          </Button>
        </section>
      )}
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
        {artifact?.size_bytes ? `${formatBytes(artifact.size_bytes)} are freed, and download links stop now. ` : ''}The
        source dataset is not touched.
      </ConfirmLoss>
    </div>
  )
}
