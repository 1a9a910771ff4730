import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Switch } from '../parts/controls.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import { profileQuery } from '../session/workspace.ts'
import './notifications-section.css'

const kinds = [
  { kind: 'import_fail', name: 'Import failed or lost something', when: 'one that you started' },
  { kind: 'transform_done', name: 'Version made', when: 'when its files are complete' },
  { kind: 'export_ready', name: 'Export ready', when: 'when a download can start' },
  { kind: 'episode_flag', name: 'Episode flagged', when: 'in datasets you edit' },
  { kind: 'team_invite', name: 'Team invite', when: 'an organization or project invites you' },
  { kind: 'weekly_digest', name: 'Weekly digest', when: 'Mondays at 08:00' },
] as const

interface Choice {
  kind: (typeof kinds)[number]['kind']
  way: 'email' | 'in_app'
  isOn: boolean
  isUndo?: boolean
}

export const NotificationsSection = () => (
  <>
    <h2 className="title">Notifications</h2>
    <div className="max-width-620">
      <NotificationMatrix />
    </div>
  </>
)

/** Six rows, two columns, saved on change. */
function NotificationMatrix() {
  const profile = useQuery(profileQuery)
  const cache = useQueryClient()
  const change = useChange(
    ({ kind, way, isOn }: Choice) =>
      client.users.changeProfile({ body: { notification_preferences: { [kind]: { [way]: isOn } } } }),
    {
      onDone: ({ item }, { isUndo, ...choice }) => {
        cache.setQueryData(profileQuery.queryKey, item)
        if (!isUndo) showToast('Saved', () => change.mutate({ ...choice, isOn: !choice.isOn, isUndo: true }))
      },
    },
  )
  if (!profile.data) return null
  const { notification_preferences: preferences, timezone } = profile.data
  return (
    <>
      <table className="table above-4">
        <thead>
          <tr>
            <th className="flush-left">Tell me when</th>
            <th className="switch-column">E-mail</th>
            <th className="switch-column">Inbox</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, name, when }) => (
            <tr key={kind}>
              <td className="flush-left height-38 wrap-text">
                <b>{name}</b>{' '}
                <span className="dim">
                  {when}
                  {kind === 'weekly_digest' && `, ${timezone}`}
                </span>
              </td>
              <td className="switch-column">
                <Switch
                  label={`${name}, by e-mail`}
                  checked={preferences[kind].email}
                  onChange={(isOn) => change.mutate({ kind, way: 'email', isOn })}
                />
              </td>
              <td className="switch-column">
                <Switch
                  label={`${name}, in the inbox`}
                  checked={preferences[kind].in_app}
                  onChange={(isOn) => change.mutate({ kind, way: 'in_app', isOn })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="small dim above-8">When a version and its export finish together, one mail says both.</p>
    </>
  )
}
