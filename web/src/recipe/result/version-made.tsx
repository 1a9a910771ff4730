import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { Link } from '@tanstack/react-router'
import { plural } from '../../parts/formats.ts'

/** Said once a version is made: what it is, and the two ways on. */
export const VersionMade = ({ version, onExport }: { version: Version; onExport(): void }) => (
  <span className="row wrap gap-y-2">
    <span>
      Version {version.version} of {version.slug} made: {plural(version.episode_count, 'episode')}
    </span>
    <Link className="link" to="/datasets/$datasetId" params={{ datasetId: version.id }}>
      Open version
    </Link>
    <button type="button" className="link" onClick={onExport}>
      Export
    </button>
  </span>
)
