import type { WorkspaceImportJob as ImportJob, ImportReport } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { isMoving, reportQuery, retryImport } from '../data/imports.ts'
import { Button } from '../parts/controls.tsx'
import { formatBytes, formatCount, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { Failure } from '../parts/states.tsx'
import { useChange } from '../parts/use-change.ts'
import { canEdit, useWorkspace } from '../session/workspace.ts'
import { nameRule } from './finding-titles.ts'
import './import-report.css'

type Finding = ImportReport['findings'][number]

const kinds = { warning: 'fix', info: 'note' } as const
const mostSentences = 3

/** What was found, repaired and left out, in plain words. */
export function ImportReportView({ job }: { job: ImportJob }) {
  const isOver = !isMoving(job)
  const report = useQuery({
    ...reportQuery(job.org_slug, job.project_slug, job.id),
    enabled: isOver && job.report_object_path !== null,
  })
  if (!isOver)
    return (
      <p className="mid">The report is written when the import ends. You can leave this page; the import continues.</p>
    )
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
  return <Report job={job} report={report.data} />
}

function Report({ job, report }: { job: ImportJob; report: ImportReport }) {
  const { counts, result, source, findings } = report
  const repaired = counts.episodes_repaired
  const leftOut = report.episodes.filter(({ outcome }) => outcome === 'left_out')
  // Why an episode was left out is said with it.
  const said = new Set(leftOut.map(({ source_index }) => source_index))
  const general = group(findings.filter(({ episode }) => episode === null || !said.has(episode)))
  const say = ({ rule, severity, isDropped, sentences, episodes }: FindingGroup) => (
    <Line
      key={rule + severity}
      kind={severity === 'error' || isDropped ? 'loss' : kinds[severity]}
      title={nameRule(rule)}
    >
      {sentences.slice(0, mostSentences).join(' ')}
      {sentences.length > mostSentences && ` And ${formatCount(sentences.length - mostSentences)} more like these.`}
      {sentences.length === 1 && episodes > 1 && ` The same in ${plural(episodes - 1, 'more episode')}.`}
      <SwapColours job={job} order={findOtherColours(rule, sentences)} />
    </Line>
  )
  return (
    <>
      <h3>What was found</h3>
      <ul className="findings">
        {counts.episodes_left_out > 0 && (
          <Line
            kind="loss"
            title={`${formatCount(counts.episodes_left_out)} of ${plural(counts.episodes_found, 'episode')} left out`}
          >
            {leftOut
              .slice(0, 8)
              .map(({ source_index, notes }) => notes[0] ?? `Episode ${source_index}: no reason given.`)
              .join(' ')}
            {leftOut.length > 8 && ` And ${formatCount(leftOut.length - 8)} more.`}
          </Line>
        )}
        {general.filter(isLoss).map(say)}
        {counts.episodes_imported > 0 && (
          <Line kind="ok" title={`${plural(counts.episodes_imported, 'episode')}, ${plural(counts.frames, 'frame')}`}>
            Every frame and timestamp checked
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
        {repaired > 0 && (
          <Line kind="fix" title={`${plural(repaired, 'episode')} repaired`}>
            What was done to {repaired === 1 ? 'it' : 'each of them'} stands below, episode by episode.
          </Line>
        )}
        {general.filter((one) => !isLoss(one)).map(say)}
      </ul>
      {report.outcome === 'failed' && (
        <p className="small dim above-12">
          {report.summary === job.error_message
            ? 'It ended before an episode was read; nothing was stored.'
            : report.summary}
        </p>
      )}
    </>
  )
}

/** An assumption says which option turns it around. */
const findOtherColours = (rule: string, sentences: readonly string[]): 'rgb' | 'bgr' | undefined =>
  rule === 'assumed'
    ? (/option color_order to (rgb|bgr)/.exec(sentences.join(' '))?.[1] as 'rgb' | 'bgr' | undefined)
    : undefined

/** What was assumed of the colours, the other way round: the same source is imported again. */
function SwapColours({ job, order }: { job: ImportJob; order: 'rgb' | 'bgr' | undefined }) {
  const navigate = useNavigate()
  const workspace = useWorkspace()
  const { org_slug: org, project_slug: project } = job
  const swap = useChange(() => retryImport(job, { color_order: order ?? null }), {
    onDone: ({ item }) =>
      void navigate({
        to: '/orgs/$org/projects/$project/imports/$jobId',
        params: { org, project, jobId: item.id },
      }),
  })
  if (!order || !canEdit(workspace?.role)) return null
  return (
    <span className="block above-6">
      <Button small icon="again" disabled={swap.isPending} onClick={() => swap.mutate()}>
        Swap red and blue, import again
      </Button>
    </span>
  )
}

interface LineProps {
  kind: keyof typeof marks
  title: string
  children: React.ReactNode
}

const marks = { ok: 'check', note: 'more', fix: 'again', loss: 'loss' } as const

const Line = ({ kind, title, children }: LineProps) => (
  <li>
    <span className="finding-mark" data-kind={kind}>
      <Icon name={marks[kind]} small />
    </span>
    <div className="shrinkable">
      <b className="capitalized inline-block">{title}</b>
      <p className="mid small break-anywhere">{children}</p>
    </div>
  </li>
)

interface FindingGroup {
  rule: string
  severity: Finding['severity']
  /** What is gone is no repair. */
  isDropped: boolean
  sentences: string[]
  episodes: number
}

const isLoss = ({ severity, isDropped }: FindingGroup): boolean => severity === 'error' || isDropped

/** A rule is one line, whether it was said of many episodes or of several features. */
function group(findings: readonly Finding[]): FindingGroup[] {
  const byRule = new Map<string, { first: Finding; sentences: Set<string>; episodes: Set<number> }>()
  for (const finding of findings) {
    const key = finding.rule + finding.severity
    const known = byRule.get(key) ?? { first: finding, sentences: new Set(), episodes: new Set() }
    known.sentences.add(finding.sentence)
    if (finding.episode !== null) known.episodes.add(finding.episode)
    byRule.set(key, known)
  }
  const rank = { error: 0, warning: 1, info: 2 }
  return [...byRule.values()]
    .map(({ first: { rule, severity, dropped = false }, sentences, episodes }) => ({
      rule,
      severity,
      isDropped: dropped,
      sentences: [...sentences],
      episodes: episodes.size,
    }))
    .sort((one, other) => rank[one.severity] - rank[other.severity])
    .slice(0, 40)
}
