import type { StatusDetails } from '@nmp/sdk/generated/records'
import { formatBytes } from '../parts/formats.ts'
import { Time } from '../parts/time.tsx'
import './status-page.css'

/** What the program runs on, for whoever runs it. */
export function Machine({ details: { database, disk, storage, commit, workers } }: { details: StatusDetails }) {
  return (
    <>
      <section className="above-24" aria-label="Machine">
        <h2>Machine</h2>
        {disk && <Disk disk={disk} />}
        <dl className="definitions status-facts above-8">
          <dt>Database</dt>
          <dd>
            PostgreSQL {database.version}, {formatBytes(database.size_bytes)}
          </dd>
          <dt>Objects</dt>
          <dd>{storage === 's3' ? 'in an S3 bucket' : 'in the data folder'}</dd>
          <dt>Commit</dt>
          <dd className="mono clip">{commit ? commit.slice(0, 12) : 'a release'}</dd>
        </dl>
      </section>
      <section className="above-24" aria-label="Workers">
        <h2>Workers</h2>
        {workers.length === 0 ? (
          <p className="mid above-4">None has said within the last half minute that it lives.</p>
        ) : (
          <table className="table stack above-4">
            <thead>
              <tr>
                <th className="flush-left">Host and process</th>
                <th>Started</th>
                <th>Last seen</th>
                <th className="align-right">Jobs at a time</th>
              </tr>
            </thead>
            <tbody>
              {workers.map((worker) => (
                <tr key={worker.name}>
                  <td className="flush-left mono">{worker.name}</td>
                  <td data-label="Started">
                    <Time at={worker.started_at} />
                  </td>
                  <td data-label="Last seen">
                    <Time at={worker.seen_at} />
                  </td>
                  <td className="align-right" data-label="Jobs at a time">
                    {worker.concurrency}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </>
  )
}

function Disk({ disk }: { disk: NonNullable<StatusDetails['disk']> }) {
  const { free_bytes: free, reserve_bytes: reserve, size_bytes: size } = disk
  const used = Math.max(0, size - free)
  return (
    <>
      <p className="above-8">
        {formatBytes(free)} free of {formatBytes(size)}
        <span className="dim">
          {reserve > 0 ? `; ${formatBytes(reserve)} of it stay free (NMP_DISK_RESERVE_BYTES)` : ''}
        </span>
      </p>
      <div
        className="meter above-4 height-6 status-facts"
        role="meter"
        aria-label="Disk of the data folder"
        aria-valuemin={0}
        aria-valuemax={size}
        aria-valuenow={used}
        aria-valuetext={`${formatBytes(used)} of ${formatBytes(size)} used`}
      >
        <span style={{ width: `${Math.min(100, (used / size) * 100)}%` }} />
      </div>
    </>
  )
}
