import type { HuggingFaceCheck } from '@nmp/sdk/generated/records'
import { useEffect, useState } from 'react'
import { checkHub } from '../data/imports.ts'
import { Field } from '../parts/controls.tsx'
import { formatBytes, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import type { SourceReady } from './source-ready.ts'

interface HubSourceProps {
  repository: string
  /** The one to begin with; empty for the newest. */
  commit: string
  org: string
  project: string
  onReady(source: SourceReady | undefined): void
  onName(name: string): void
}

/** Looks whether the repository is there while it is typed, so that nobody waits for a job to learn of a typing error. */
export function HubSource({ repository, commit, org, project, onReady, onName }: HubSourceProps) {
  const [repo, setRepo] = useState(repository)
  const [revision, setRevision] = useState(commit)
  const [token, setToken] = useState('')
  const [check, setCheck] = useState<HuggingFaceCheck>()
  const [isChecking, setChecking] = useState(false)
  const [fault, setFault] = useState<string>()
  const id = readRepoId(repo)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks are new each time and mean the same
  useEffect(() => {
    setCheck(undefined)
    setFault(undefined)
    onReady(undefined)
    if (!id) return
    let isWanted = true
    const timer = setTimeout(() => {
      setChecking(true)
      checkHub(org, project, {
        hf_repo_id: id,
        ...(revision.trim() ? { hf_revision: revision.trim() } : {}),
        ...(token.trim() ? { hf_token: token.trim() } : {}),
      })
        .then(({ item }) => {
          if (!isWanted) return
          setCheck(item)
          if (!item.exists) return
          onReady({
            source_kind: 'huggingface',
            hf_repo_id: id,
            ...(revision.trim() ? { hf_revision: revision.trim() } : {}),
            ...(token.trim() ? { hf_token: token.trim() } : {}),
          })
          onName(id.split('/')[1] ?? id)
        })
        .catch((error: Error) => {
          if (!isWanted) return
          setFault(error.message)
          // The check is a kindness; the import itself says what is wrong.
          onReady({ source_kind: 'huggingface', hf_repo_id: id })
          onName(id.split('/')[1] ?? id)
        })
        .finally(() => isWanted && setChecking(false))
    }, 500)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [id, revision, token])
  return (
    <div className="grid gap-12 three-columns">
      <Field
        label="Repository or its address"
        showLabel
        placeholder="lerobot/aloha_static_coffee"
        value={repo}
        autoFocus
        spellCheck={false}
        onChange={(event) => setRepo(event.target.value)}
      />
      <Field
        label="Revision (default: the newest)"
        showLabel
        placeholder="main"
        value={revision}
        spellCheck={false}
        onChange={(event) => setRevision(event.target.value)}
      />
      <Field
        label="Token, for private repositories"
        showLabel
        type="password"
        autoComplete="off"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <div className="all-columns min-height-20" aria-live="polite">
        {isChecking && <span className="dim">Looking for {id} …</span>}
        {!isChecking && check?.exists && (
          <span className="row wrap">
            <span className="chip good">
              <Icon name="check" />
              found
            </span>
            <span className="mid">
              {[
                check.codebase_version && `LeRobot ${check.codebase_version}`,
                check.total_bytes !== null && formatBytes(check.total_bytes),
                check.file_count !== null && plural(check.file_count, 'file'),
                check.revision && `commit ${check.revision.slice(0, 7)}`,
              ]
                .filter(Boolean)
                .join(', ')}
            </span>
            <span className="mid">{check.sentence}</span>
          </span>
        )}
        {!isChecking && ((check && !check.exists) || fault) && (
          <div className="callout">
            <b>{check?.sentence ?? fault}</b>
          </div>
        )}
      </div>
    </div>
  )
}

/** `owner/name`, or the address of its page. */
export function readRepoId(text: string): string | undefined {
  const short = text
    .trim()
    .replace(/^https?:\/\/[^/]+\/datasets\//, '')
    .replace(/\/(tree|blob|resolve)\/.*$/, '')
    .replace(/\/$/, '')
  return /^[\w.-]+\/[\w.-]+$/.test(short) ? short : undefined
}
