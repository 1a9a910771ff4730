import type { StatusDetails } from '@nmp/sdk/generated/records'
import { Link } from '@tanstack/react-router'
import { formatBytes, plural } from '../parts/formats.ts'
import { Empty } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import './status-page.css'

type Damaged = StatusDetails['damaged'][number]

/** What may not be given out, and whom that concerns. */
export function DamagedContents({ contents }: { contents: readonly Damaged[] }) {
  return (
    <section className="above-24" aria-label="Damaged contents">
      <h2>Damaged contents</h2>
      {contents.length === 0 && (
        <Empty title="None is known">
          What is found damaged appears here with the datasets that need it, and goes when good bytes come in.
        </Empty>
      )}
      <ul className="damaged">
        {contents.map((content) => (
          <li key={content.sha256}>
            <div className="row wrap">
              <b className="mono">{content.sha256.slice(0, 16)}</b>
              <span className="chip flag">{content.fault === 'missing' ? 'gone' : 'damaged'}</span>
              <span className="dim small">
                {formatBytes(content.size_bytes)}, found <Time at={content.found_at} />
              </span>
            </div>
            <p className="mid above-2">{content.sentence}</p>
            <Needing content={content} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Needing({ content: { needed_by: needing, needed_by_count: count } }: { content: Damaged }) {
  if (count === 0) return <p className="small dim above-4">Nothing needs it any more; it is removed by itself.</p>
  return (
    <ul className="above-4 small">
      {needing.map((one) => (
        <li key={`${one.kind}/${one.id}/${one.path}`}>
          {one.dataset_id ? (
            <Link to="/datasets/$datasetId" params={{ datasetId: one.dataset_id }}>
              <b>{one.title}</b>
            </Link>
          ) : (
            <b>
              {one.kind} {one.id}
            </b>
          )}{' '}
          <span className="dim">{one.org_slug}</span> <span className="mono">{one.path}</span>
        </li>
      ))}
      {count > needing.length && <li className="dim">and {plural(count - needing.length, 'more place')}</li>}
    </ul>
  )
}
