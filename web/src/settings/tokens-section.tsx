import type { ApiToken } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../data/refresh.ts'
import { IconButton } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { tryLine } from '../parts/snippets.ts'
import { Empty, Failure } from '../parts/states.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import { Time } from '../parts/time.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import { type MadeToken, NewToken } from './new-token.tsx'

/** The new secret first, then the list, then the form. */
export function TokensSection() {
  const tokens = useQuery({
    queryKey: ['tokens'],
    queryFn: async ({ signal }) => (await client.users.listTokens({}, { signal })).items,
  })
  const [made, setMade] = useState<MadeToken>()
  const revocation = useChange(({ id }: ApiToken) => client.users.revokeToken({ token_id: id }), {
    onDone: (_, { name }) => {
      void refresh.tokens()
      showToast(`${name} revoked; it stops working at once`)
    },
  })
  const live = tokens.data?.filter(({ revoked_at }) => revoked_at === null) ?? []
  return (
    <>
      <div className="row wrap">
        <h2 className="title">Personal access tokens</h2>
        <span className="dim">for the command line, the SDKs and scripts</span>
      </div>
      {made && (
        <div className="made-secret" role="status">
          <div className="row wrap">
            <span className="chip good">
              <Icon name="check" />
              Created
            </span>
            <b>{made.name}</b>
            <span className="mid">Copy it now: it is shown once, and only its hash is kept.</span>
            <span className="end">
              <IconButton icon="close" label="Close" look="ghost" small onClick={() => setMade(undefined)} />
            </span>
          </div>
          <div className="made-secret-value">
            <code data-testid="secret">{made.secret}</code>
            <CopyButton look="primary" text={made.secret}>
              Copy
            </CopyButton>
          </div>
          <TryIt secret={made.secret} />
        </div>
      )}
      {tokens.error && <Failure error={tokens.error} what="The tokens did not load" />}
      {tokens.data && live.length === 0 && !made && (
        <Empty title="No token yet">Make one below; it can do no more than you can.</Empty>
      )}
      {live.length > 0 && (
        <TableScroll label="Tokens" className="above-14">
          <table className="table stack">
            <thead>
              <tr>
                <th>Name</th>
                <th>Token</th>
                <th>May</th>
                <th>Made by</th>
                <th>Created</th>
                <th>Last used</th>
                <th>Expires</th>
                <th>
                  <span className="visually-hidden">Revoke</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {live.map((token) => (
                <tr key={token.id}>
                  <td>
                    <b>{token.name}</b>
                  </td>
                  <td className="mono mid">{token.preview}</td>
                  <td>
                    <span className="row gap-4">
                      {token.scopes.map((scope) => (
                        <span className="chip tiny" key={scope}>
                          {scope === 'workspace:read' ? 'read' : scope.split(':')[0]}
                        </span>
                      ))}
                    </span>
                  </td>
                  <td className="mid" data-label="made by" title={token.origin?.user_agent}>
                    {describeOrigin(token)}
                  </td>
                  <td className="mid" data-label="created">
                    <Time at={token.created_at} />
                  </td>
                  <td className="mid" data-label="last used">
                    {token.last_used_at ? <Time at={token.last_used_at} /> : 'never'}
                  </td>
                  <td className={isSoon(token.expires_at) ? 'semibold' : 'mid'} data-label="expires">
                    <Time at={token.expires_at} />
                  </td>
                  <td className="align-right">
                    <button
                      type="button"
                      className="button small ghost warning"
                      aria-label={`Revoke ${token.name}`}
                      onClick={() => revocation.mutate(token)}
                    >
                      Revoke
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableScroll>
      )}
      {!tokens.isPending && (
        <div className="above-28 max-width-620">
          <NewToken onMade={setMade} />
        </div>
      )}
    </>
  )
}

/** A line for the shell as it is, with the whole token: it is shown here and nowhere else. */
function TryIt({ secret }: { secret: string }) {
  const line = tryLine(location.origin, secret)
  return (
    <>
      <p className="small mid above-12 below-4">Try it in a shell:</p>
      <pre className="code keep-lines break-anywhere" data-testid="try-it">
        {line}
      </pre>
      <div className="above-8">
        <CopyButton text={line} small>
          Copy the line
        </CopyButton>
      </div>
    </>
  )
}

const programNames = {
  console: 'console',
  command_line: 'command line',
  operator: 'operator',
  other: 'another program',
} as const

/** Of tokens older than this column nobody knows. */
const describeOrigin = ({ origin }: ApiToken): string =>
  origin ? `${programNames[origin.program]} at ${origin.address}` : 'unknown'

const isSoon = (at: string): boolean => Date.parse(at) - Date.now() < 7 * 86_400_000
