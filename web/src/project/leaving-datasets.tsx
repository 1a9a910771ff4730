import type { ProjectDataset } from '@nmp/sdk/generated/records'
import { restoreDataset } from '../data/project.ts'
import { refresh } from '../data/refresh.ts'
import { Button } from '../parts/controls.tsx'
import { formatBytes, plural } from '../parts/formats.ts'
import { Time } from '../parts/time.tsx'
import { useChange } from '../parts/use-change.ts'

/** Those whose deletion was asked for, for as long as they can be had back. */
export function LeavingDatasets({
  datasets,
  mayRestore,
}: {
  datasets: readonly ProjectDataset[]
  mayRestore: boolean
}) {
  const restoration = useChange(
    ({ org_slug, project_slug, slug }: ProjectDataset) => restoreDataset(org_slug, project_slug, slug),
    { onDone: (_, { id }) => refresh.dataset(id) },
  )
  return (
    <details className="callout below-16">
      <summary>
        <b>{plural(datasets.length, 'dataset is', 'datasets are')} being deleted</b>
      </summary>
      <div className="above-8">
        {datasets.map((dataset) => (
          <div className="row gap-12 above-4" key={dataset.id}>
            <span>{dataset.title}</span>
            <span className="dim">
              {formatBytes(dataset.size_bytes)}, gone <Time at={dataset.deletion_at ?? ''} />
            </span>
            {mayRestore && (
              <Button small onClick={() => restoration.mutate(dataset)}>
                Restore
              </Button>
            )}
          </div>
        ))}
      </div>
    </details>
  )
}
