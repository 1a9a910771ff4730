import type { WorkspaceImportJob as ImportJob } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isMoving, reportQuery } from '../data/imports.ts'
import { Button } from '../parts/controls.tsx'
import { formatCount, plural } from '../parts/formats.ts'
import { TableScroll } from '../parts/table-scroll.tsx'
import './import-previews.css'

const words = {
  imported: 'imported',
  repaired: 'repaired',
  left_out: 'left out',
  not_imported: 'not imported',
} as const
const tones = { imported: 'text-good', repaired: '', left_out: 'text-flag', not_imported: '' } as const
const atFirst = 12
const atOnce = 500

/** One line an episode; those with something to say come first. */
export function ImportEpisodes({ job }: { job: ImportJob }) {
  const [shown, setShown] = useState(atFirst)
  const report = useQuery({
    ...reportQuery(job.org_slug, job.project_slug, job.id),
    enabled: !isMoving(job) && job.report_object_path !== null,
  })
  const { episodes = [], truncated: isCut = false } = report.data ?? {}
  const rank = { left_out: 0, repaired: 1, not_imported: 2, imported: 3 }
  const ordered = [...episodes].sort(
    (one, other) => rank[one.outcome] - rank[other.outcome] || one.source_index - other.source_index,
  )
  if (ordered.length === 0) return null
  return (
    <section className="previews" aria-label="Episodes of the import">
      <h3>Episode by episode</h3>
      <TableScroll label="Outcome of every episode">
        <table className="table stack above-4">
          <thead>
            <tr>
              <th>In the source</th>
              <th>Here</th>
              <th className="align-right">Frames</th>
              <th>Outcome</th>
              <th>Why</th>
            </tr>
          </thead>
          <tbody>
            {ordered.slice(0, shown).map((episode) => (
              <tr key={episode.source_index}>
                <td className="mono clip max-width-130" title={episode.source_id}>
                  {episode.source_id}
                </td>
                <td>{episode.episode_index ?? '–'}</td>
                <td className="align-right">
                  {episode.length_frames === null ? '–' : formatCount(episode.length_frames)}
                </td>
                <td className={tones[episode.outcome]}>{words[episode.outcome]}</td>
                <td className="mid min-width-160 wrap-text">
                  {[...new Set(episode.notes)].slice(0, 3).join(' ')}
                  {episode.notes.length > 3 && ` And ${episode.notes.length - 3} more.`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
      {shown < ordered.length && (
        <Button small className="above-8" onClick={() => setShown((count) => count + atOnce)}>
          {plural(ordered.length - shown, 'more episode')}
        </Button>
      )}
      {isCut && shown >= ordered.length && (
        <p className="small dim above-4">The list was cut here; the counts are of all.</p>
      )}
    </section>
  )
}
