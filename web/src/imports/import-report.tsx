import type { ImportJob, ImportReport } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { formatBytes, formatCount, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Failure } from '../parts/states.tsx'
import { isMoving, reportQuery } from './queries.ts'

type Finding = ImportReport['findings'][number]

/** What was found, repaired and left out, in plain words. */
export function ImportReportView({ job }: { job: ImportJob }) {
  const isOver = !isMoving(job)
  const report = useQuery({
    ...reportQuery(job.org_slug, job.project_slug, job.id),
    enabled: isOver && job.report_object_path !== null,
  })
  if (!isOver)
    return <p className="mid">The report is written when the import ends. You may leave this page: it goes on.</p>
  if (report.error)
    return <Failure error={report.error} what="The report did not load" onRetry={() => void report.refetch()} />
  if (!report.data)
    return (
      <p className="dim">
        {report.isFetching
          ? ''
          : job.status === 'canceled'
            ? 'It was canceled; nothing was changed.'
            : 'It ended before anything was read, so there is no report.'}
      </p>
    )
  return <Report report={report.data} error={job.error_message} />
}

function Report({ report, error }: { report: ImportReport; error: string | null }) {
  const { counts, result, source, findings } = report
  const general = group(findings)
  const leftOut = report.episodes.filter(({ outcome }) => outcome === 'left_out')
  return (
    <>
      <h3>What was found</h3>
      <ul className="find">
        {counts.episodes_imported > 0 && (
          <Line kind="ok" title={`${plural(counts.episodes_imported, 'episode')}, ${plural(counts.frames, 'frame')}`}>
            Every frame counted, every timestamp on its place
            {source.layout && `; read as ${source.layout} ${source.version ?? ''}`}.
          </Line>
        )}
        {result && (
          <Line
            kind="ok"
            title={`${plural(result.file_count, 'file')}, ${formatBytes(result.size_bytes)} as LeRobot v3.0`}
          >
            {result.kept_files > 0 ? `${plural(result.kept_files, 'file')} kept byte for byte. ` : ''}
            {result.fps} frames per second{result.robot_type ? `, robot ${result.robot_type}` : ''}.
          </Line>
        )}
        {counts.episodes_left_out > 0 && (
          <Line kind="bad" title={`${plural(counts.episodes_left_out, 'episode')} left out`}>
            {leftOut
              .slice(0, 8)
              .map(({ source_index, notes }) => `Episode ${source_index}: ${notes[0] ?? 'no reason given'}`)
              .join(' ')}
            {leftOut.length > 8 && ` And ${formatCount(leftOut.length - 8)} more.`}
          </Line>
        )}
        {general.map(({ finding, episodes }) => (
          <Line
            key={finding.rule + finding.sentence}
            kind={finding.severity === 'info' ? 'ok' : finding.severity === 'warning' ? 'fix' : 'bad'}
            title={finding.rule.replaceAll('-', ' ')}
          >
            {finding.sentence}
            {episodes > 1 && ` The same in ${formatCount(episodes - 1)} more.`}
          </Line>
        ))}
      </ul>
      <p className="sm dim mt-3">
        {report.summary === error ? 'It ended before an episode was read; nothing was stored.' : report.summary}
      </p>
    </>
  )
}

interface LineProps {
  kind: 'ok' | 'fix' | 'bad'
  title: string
  children: React.ReactNode
}

const Line = ({ kind, title, children }: LineProps) => (
  <li>
    <span className="find-mark" data-kind={kind}>
      <Icon name={kind === 'ok' ? 'check' : kind === 'fix' ? 'again' : 'flag'} small />
    </span>
    <div className="min-w-0">
      <b className="first-letter:uppercase inline-block">{title}</b>
      <p className="mid sm" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </p>
    </div>
  </li>
)

/** The same rule said of many episodes is one line. */
function group(findings: readonly Finding[]): { finding: Finding; episodes: number }[] {
  const byRule = new Map<string, { finding: Finding; episodes: number }>()
  for (const finding of findings) {
    const known = byRule.get(finding.rule + finding.severity)
    if (known) known.episodes++
    else byRule.set(finding.rule + finding.severity, { finding, episodes: 1 })
  }
  const rank = { error: 0, warning: 1, info: 2 }
  return [...byRule.values()]
    .sort((one, other) => rank[one.finding.severity] - rank[other.finding.severity])
    .slice(0, 40)
}
