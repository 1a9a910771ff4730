import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { Link } from '@tanstack/react-router'
import { plural } from '../parts/formats.ts'

/** Said once a version is made: what it is, and the two ways on. */
export const VersionMade = ({ version, onExport }: { version: Version; onExport(): void }) => (
  <span className="row flex-wrap gap-y-0.5">
    <span>
      Version {version.version} of {version.slug} made: {plural(version.episode_count, 'episode')}
    </span>
    <Link className="lk" to="/datasets/$datasetId" params={{ datasetId: version.id }}>
      Open version
    </Link>
    <button type="button" className="lk" onClick={onExport}>
      Export
    </button>
  </span>
)
