import { Link } from '@tanstack/react-router'
import { CopyButton } from './copy-button.tsx'
import { loadLines } from './snippets.ts'

interface LoadInPythonProps {
  org: string
  project: string
  slug: string
  /** A tag such as `version-2`; the newest without it. */
  revision?: string
  isPublic: boolean
}

/** The lines that load a dataset or a version with an unmodified lerobot, through the Hub door. */
export function LoadInPython({ org, project, slug, revision, isPublic }: LoadInPythonProps) {
  const lines = loadLines(location.origin, { org, project, slug, revision, isPublic })
  return (
    <div>
      <pre className="code">{lines}</pre>
      <div className="row above-8">
        <CopyButton text={lines} small>
          Copy
        </CopyButton>
        {!isPublic && (
          <span className="dim small">
            With a{' '}
            <Link className="link" to="/settings/tokens">
              token
            </Link>{' '}
            that has workspace:read.
          </span>
        )}
      </div>
    </div>
  )
}
