import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { browseQuery } from '../data/catalog.ts'
import { manifestQuery } from '../data/dataset.ts'
import { projectDatasetsQuery } from '../data/project.ts'
import { Field } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { toggleTheme } from '../session/theme.ts'
import { useMe, type Workspace } from '../session/workspace.ts'
import './jump.css'

interface Target {
  id: string
  name: string
  note: string
  icon: IconName
  go(): void
}

interface JumpProps {
  workspace: Workspace | undefined
  onClose(): void
}

/** Command K: datasets, projects, places and commands by a few letters. */
export function JumpDialog({ workspace, onClose }: JumpProps) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const words = useDeferredValue(text.trim().toLowerCase())
  const targets = useTargets(workspace, words).filter(
    ({ name, note }) =>
      words === '' || words.split(/\s+/).every((word) => `${name} ${note}`.toLowerCase().includes(word)),
  )
  const shown = targets.slice(0, 12)
  const chosen = Math.min(at, shown.length - 1)
  const open = (target: Target | undefined) => {
    if (!target) return
    onClose()
    target.go()
  }
  return (
    <Dialog title="Search or jump to" open onClose={onClose}>
      <Field
        label="Dataset, project, place or command"
        placeholder="Dataset, project, place or command"
        icon="search"
        autoFocus
        value={text}
        role="combobox"
        aria-expanded
        aria-controls="jump-list"
        aria-activedescendant={shown[chosen] ? `jump-${shown[chosen].id}` : undefined}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt(Math.min(shown.length - 1, chosen + 1))
          else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1))
          else if (event.key === 'Enter') open(shown[chosen])
          else return
          event.preventDefault()
        }}
      />
      <div id="jump-list" role="listbox" aria-label="Found" className="jump-list">
        {shown.map((target, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={target.id}
            id={`jump-${target.id}`}
            role="option"
            aria-selected={index === chosen}
            onPointerMove={() => setAt(index)}
            onClick={() => open(target)}
          >
            <Icon name={target.icon} small />
            <span className="clip">{target.name}</span>
            <span className="dim small end clip">{target.note}</span>
          </div>
        ))}
        {shown.length === 0 && <p className="dim pad-8">Nothing matches.</p>}
      </div>
    </Dialog>
  )
}

const settings = [
  { to: '/settings/profile', name: 'Profile', icon: 'person' },
  { to: '/settings/security', name: 'Security and sessions', icon: 'lock' },
  { to: '/settings/tokens', name: 'Tokens', icon: 'key' },
  { to: '/settings/notifications', name: 'Notifications', icon: 'bell' },
] as const

const organizationPlaces = [
  { to: '/orgs/$org/members', name: 'Members', icon: 'people' },
  { to: '/orgs/$org/projects', name: 'Projects', icon: 'folder' },
  { to: '/orgs/$org/storage', name: 'Storage', icon: 'database' },
  { to: '/orgs/$org/security', name: 'Security', icon: 'lock' },
  { to: '/orgs/$org/audit', name: 'Audit', icon: 'list' },
] as const

/** On a page of a dataset a number is an episode. */
function useEpisodeTargets(words: string): Target[] {
  const navigate = useNavigate()
  const { datasetId } = useParams({ strict: false })
  const number = /^(?:episode\s+)?(\d{1,9})$/.exec(words)?.[1]
  const { data } = useQuery({
    ...manifestQuery(datasetId ?? ''),
    enabled: datasetId !== undefined && number !== undefined,
  })
  const episode = Number(number)
  if (!datasetId || number === undefined || !data || episode >= data.metrics.total_episodes) return []
  const params = { datasetId, episode: String(episode) }
  return [
    {
      id: `episode-${episode}`,
      name: `Episode ${episode}`,
      note: data.title,
      icon: 'play',
      go: () => void navigate({ to: '/datasets/$datasetId/episodes/$episode', params }),
    },
  ]
}

function useTargets(workspace: Workspace | undefined, words: string): Target[] {
  const navigate = useNavigate()
  const me = useMe()
  const own = useQuery({
    ...projectDatasetsQuery(workspace?.org ?? '', workspace?.project ?? ''),
    enabled: !!workspace,
  })
  const open = useQuery(browseQuery({ q: words || undefined }))
  const targets: Target[] = [...useEpisodeTargets(words)]
  for (const { id, title, slug } of own.data?.items ?? [])
    targets.push({
      id,
      name: title || slug,
      note: 'dataset of this project',
      icon: 'table',
      go: () => void navigate({ to: '/datasets/$datasetId', params: { datasetId: id } }),
    })
  for (const { id, title, org_slug } of open.data?.items ?? [])
    if (!targets.some((one) => one.id === id))
      targets.push({
        id,
        name: title,
        note: `catalog, ${org_slug}`,
        icon: 'grid',
        go: () => void navigate({ to: '/datasets/$datasetId', params: { datasetId: id } }),
      })
  for (const { org_slug: org, project_slug: project } of me.data?.projects ?? [])
    targets.push({
      id: `p-${org}-${project}`,
      name: `${org} / ${project}`,
      note: 'project',
      icon: 'folder',
      go: () => void navigate({ to: '/orgs/$org/projects/$project/datasets', params: { org, project } }),
    })
  if (workspace) {
    const params = { org: workspace.org, project: workspace.project }
    targets.push(
      {
        id: 'imports',
        name: 'Imports',
        note: 'G I',
        icon: 'download',
        go: () => void navigate({ to: '/orgs/$org/projects/$project/imports', params }),
      },
      {
        id: 'versions',
        name: 'Versions',
        note: 'G V',
        icon: 'list',
        go: () => void navigate({ to: '/orgs/$org/projects/$project/versions', params }),
      },
      ...settings.map(
        ({ to, name, icon }): Target => ({ id: to, name, note: 'settings', icon, go: () => void navigate({ to }) }),
      ),
      ...organizationPlaces.map(
        ({ to, name, icon }): Target => ({
          id: to,
          name,
          note: `organization ${workspace.org}`,
          icon,
          go: () => void navigate({ to, params: { org: workspace.org } }),
        }),
      ),
      { id: 'inbox', name: 'Inbox', note: '', icon: 'bell', go: () => void navigate({ to: '/inbox' }) },
    )
  }
  targets.push({ id: 'theme', name: 'Light or dark', note: 'T', icon: 'sun', go: toggleTheme })
  return targets
}
