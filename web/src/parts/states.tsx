import type { ReactNode } from 'react'
import { ApiError } from '../session/client.ts'
import { signIn, useSession } from '../session/sign-in.ts'
import { Button } from './controls.tsx'
import { describe } from './faults.ts'

interface EmptyProps {
  title: string
  children?: ReactNode
  actions?: ReactNode
}

/** What this place is for, the first step, and a second way. */
export const Empty = ({ title, children, actions }: EmptyProps) => (
  <div className="empty">
    <b>{title}</b>
    {children && <p className="mid above-2">{children}</p>}
    {actions && <div className="row above-12 wrap">{actions}</div>}
  </div>
)

interface FailureProps {
  error: unknown
  /** What was being done: "The list did not load". */
  what: string
  onRetry?: (() => void) | undefined
  /** When the data still shown is from. */
  shownFrom?: number | undefined
}

/** An organization asks for more than a password: where it is turned on, after which the console signs in anew. */
const TwoStepNeeded = ({ what }: { what: string }) => (
  <div role="alert" className="pad-y-16">
    <div className="callout">
      <p>
        <b>{what}: it needs two-step sign-in.</b>
      </p>
      <p className="mid">
        Turn it on, or sign in again with your passkey or app; tokens have to be made anew after it.
      </p>
    </div>
    <div className="row above-12">
      <a className="button primary" href="/account/two-step">
        Two-step sign-in
      </a>
    </div>
  </div>
)

/** What happened, the request's number, a button. What may not be seen and what does not exist look the same. */
export function Failure({ error, what, onRetry, shownFrom }: FailureProps) {
  if (error instanceof ApiError && (error.status === 404 || error.status === 401)) return <NothingHere />
  if (error instanceof ApiError && error.code === 'two_step_required') return <TwoStepNeeded what={what} />
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <div role="alert" className="pad-y-16">
      <div className="callout">
        <p>
          <b>
            {what}: {describe(error)}
          </b>
        </p>
        {(shownFrom !== undefined || requestId) && (
          <p className="mid">
            {shownFrom !== undefined && shownFrom > 0 && (
              <>What you see is from {new Date(shownFrom).toLocaleTimeString('en-GB').slice(0, 5)}. </>
            )}
            {requestId && <>Request {requestId}.</>}
          </p>
        )}
      </div>
      <div className="row above-12">
        {onRetry && (
          <Button icon="again" onClick={onRetry}>
            Try again
          </Button>
        )}
        {requestId && (
          <Button look="ghost" onClick={() => void navigator.clipboard?.writeText(requestId)}>
            Copy the request number
          </Button>
        )}
      </div>
    </div>
  )
}

export function NothingHere() {
  const session = useSession()
  return (
    <Empty
      title="There is nothing at this address"
      actions={
        session === 'signed-in' ? (
          <a className="button" href="/">
            Go to the catalog
          </a>
        ) : (
          <>
            <Button look="primary" onClick={() => void signIn()}>
              Sign in
            </Button>
            <a className="button ghost" href="/">
              Go to the catalog
            </a>
          </>
        )
      }
    >
      {session === 'signed-in'
        ? 'It was removed, or your account has no role in its project.'
        : 'It was removed, or only people with a role in its project can see it.'}
    </Empty>
  )
}

/** Grey shapes of the final size, only after 150 ms, no shimmer. */
export const Skeleton = ({ rows = 6, height = 46 }: { rows?: number; height?: number }) => (
  <div className="late" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
      <div key={row} className="row skeleton-row" style={{ height }}>
        <i className="skeleton width-48" style={{ height: Math.min(36, height - 12) }} />
        <span className="fill">
          <i className="skeleton height-10" style={{ width: `${40 + ((row * 17) % 30)}%` }} />
        </span>
        <i className="skeleton width-110 height-6" />
        <i className="skeleton width-40 height-10" />
      </div>
    ))}
  </div>
)
