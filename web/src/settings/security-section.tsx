import type { Session } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { refresh } from '../data/refresh.ts'
import { Button } from '../parts/controls.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import { localAccountQuery } from '../session/local-account.ts'

/** How the person signs in, and where they are. */
export const SecuritySection = () => (
  <>
    <h2 className="title">Security</h2>
    <SignIn />
    <Sessions />
  </>
)

/** Changed at the pages of the sign-in, which ask once more who it is. */
function SignIn() {
  const account = useQuery(localAccountQuery)
  if (account.isPending) return <Skeleton rows={2} />
  if (!account.data)
    return (
      <p className="mid above-12 max-width-620">
        Passwords, passkeys and two-step sign-in are kept where you sign in; change them there.
      </p>
    )
  const { has_app: hasApp, passkey_count: passkeys } = account.data
  const isOn = hasApp || passkeys > 0
  return (
    <div className="max-width-620">
      <div className="row wrap above-12">
        <span className={isOn ? 'chip good' : 'chip'}>{isOn ? 'On' : 'Off'}</span>
        <b>Two-step sign-in</b>
        <span className="end">
          <a className="button" href="/account/two-step">
            {isOn ? 'Change' : 'Turn on'}
          </a>
        </span>
      </div>
      <p className="mid above-4">
        {isOn
          ? `You have ${describeProofs(hasApp, passkeys)} beside the password, which alone signs nobody in.`
          : 'Add a passkey or an app of codes, and whoever learns your password gets no further. Some organizations ask for it.'}
      </p>
    </div>
  )
}

const describeProofs = (hasApp: boolean, passkeys: number): string =>
  [
    ...(passkeys > 0 ? [passkeys === 1 ? 'one passkey' : `${passkeys} passkeys`] : []),
    ...(hasApp ? ['an app of codes'] : []),
  ].join(' and ')

const programNames = {
  console: 'console',
  command_line: 'command line',
  operator: 'by the operator',
  browser: 'browser',
  other: 'another program',
} as const

function Sessions() {
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => (await client.users.listSessions({}, { signal })).items,
  })
  const ending = useChange(({ id }: Session) => client.users.endSession({ session_id: id }), {
    onDone: (_, { device }) => {
      void refresh.sessions()
      showToast(`${device} ended; it is refused from its next request on`)
    },
  })
  const endingOthers = useChange(() => client.users.endOtherSessions(), {
    onDone: ({ item }) => {
      void refresh.sessions()
      showToast(item.ended === 1 ? 'One session ended' : `${item.ended} sessions ended`)
    },
  })
  if (sessions.error) return <Failure error={sessions.error} what="The sessions did not load" />
  if (!sessions.data) return <Skeleton rows={3} />
  const items = [...sessions.data].sort((one, two) => Number(two.current) - Number(one.current))
  return (
    <>
      <div className="row wrap above-28">
        <h3 className="title">Where you are signed in</h3>
        {items.length > 1 && (
          <span className="end">
            <Button look="ghost" disabled={endingOthers.isPending} onClick={() => endingOthers.mutate()}>
              End all others
            </Button>
          </span>
        )}
      </div>
      <TableScroll label="Sessions" className="above-8">
        <table className="table stack">
          <thead>
            <tr>
              <th>Device</th>
              <th>Program</th>
              <th>Address</th>
              <th>Since</th>
              <th>Last seen</th>
              <th>
                <span className="visually-hidden">End</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {items.map((session) => (
              <tr key={session.id}>
                <td>
                  <b>{session.device}</b>
                </td>
                <td className="mid">{programNames[session.program]}</td>
                <td className="mono mid" data-label="address">
                  {session.address}
                </td>
                <td className="mid" data-label="since">
                  <Time at={session.created_at} />
                </td>
                <td className="mid" data-label="last seen">
                  <Time at={session.last_seen_at} />
                </td>
                <td className="align-right">
                  {session.current ? (
                    <span className="chip good">This one</span>
                  ) : (
                    <button
                      type="button"
                      className="button small ghost warning"
                      aria-label={`End ${session.device} at ${session.address}`}
                      onClick={() => ending.mutate(session)}
                    >
                      End
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      <p className="small mid above-8">Personal access tokens are not sessions: revoke them under Tokens.</p>
    </>
  )
}
