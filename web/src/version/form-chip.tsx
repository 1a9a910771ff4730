import type { VersionArtifact } from '@nmp/sdk/generated/records'

/** How far a form of a version is. */
export function FormChip({ status }: { status: VersionArtifact['status'] }) {
  if (status === 'ready') return <span className="chip good">ready</span>
  if (status === 'failed') return <span className="chip flag">failed</span>
  return <span className="chip">{status === 'queued' ? 'queued' : 'exporting'}</span>
}
