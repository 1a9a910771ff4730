import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Switch } from '../parts/controls.tsx'
import { showFault, showToast } from '../parts/toasts.tsx'
import { client } from '../session/client.ts'
import { profileQuery } from '../session/workspace.ts'

const kinds = [
  { kind: 'import_fail', name: 'Import failed', when: 'one that you started' },
  { kind: 'transform_done', name: 'Version made', when: 'when its files are complete' },
  { kind: 'export_ready', name: 'Export ready', when: 'when a download can start' },
  { kind: 'episode_flag', name: 'Episode flagged', when: 'in datasets you edit' },
  { kind: 'team_invite', name: 'Team invite', when: 'an organization or project invites you' },
  { kind: 'weekly_digest', name: 'Weekly digest', when: 'Mondays at 08:00' },
] as const

export const NotificationsSection = () => (
  <>
    <h2 style={{ fontSize: 15 }}>Notifications</h2>
    <div style={{ maxWidth: 620 }}>
      <NotificationMatrix />
    </div>
  </>
)

/** Six rows, two columns, saved on change. */
function NotificationMatrix() {
  const profile = useQuery(profileQuery)
  const cache = useQueryClient()
  if (!profile.data) return null
  const { notification_preferences: preferences, timezone } = profile.data
  const change = (kind: (typeof kinds)[number]['kind'], way: 'email' | 'in_app', isOn: boolean) => {
    const send = (value: boolean) =>
      client.users.changeProfile({ body: { notification_preferences: { [kind]: { [way]: value } } } })
    send(isOn).then(
      ({ item }) => {
        cache.setQueryData(profileQuery.queryKey, item)
        showToast(
          'Saved',
          () => void send(!isOn).then(({ item: back }) => cache.setQueryData(profileQuery.queryKey, back)),
        )
      },
      (error: Error) => showFault(error.message),
    )
  }
  return (
    <>
      <table className="t mt-1">
        <thead>
          <tr>
            <th style={{ paddingLeft: 0 }}>Tell me when</th>
            <th className="c">E-mail</th>
            <th className="c">Inbox</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, name, when }) => (
            <tr key={kind}>
              <td style={{ paddingLeft: 0, height: 38, whiteSpace: 'normal' }}>
                <b>{name}</b>{' '}
                <span className="dim">
                  {when}
                  {kind === 'weekly_digest' && `, ${timezone}`}
                </span>
              </td>
              <td className="c">
                <Switch
                  label={`${name}, by e-mail`}
                  checked={preferences[kind].email}
                  onChange={(isOn) => change(kind, 'email', isOn)}
                />
              </td>
              <td className="c">
                <Switch
                  label={`${name}, in the inbox`}
                  checked={preferences[kind].in_app}
                  onChange={(isOn) => change(kind, 'in_app', isOn)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="sm dim mt-2">When a version and its export finish together, one mail says both.</p>
    </>
  )
}
