import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: PlanNode[]
}

/** What a statement of the program did, over all its runs. */
export interface Statement {
  text: string
  count: number
  medianMs: number
  longestMs: number
  /** Pages of 8 KiB, in the longest run. */
  pages: number
  /** Tables that were read from end to end, by rows looked at in one run, the most of them. */
  scans: Record<string, number>
  indices: string[]
}

/** Settings under which PostgreSQL writes every plan with its times; sessions that begin after it are told about. */
export const explainSettings: Record<string, string> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_parameter_max_length': '0',
  log_destination: 'jsonlog',
  log_rotation_size: '0',
}

/** From the plans in PostgreSQL's own log, the most frequent first. */
export async function readStatements(folder: string): Promise<Statement[]> {
  const found = new Map<string, Statement & { times: number[] }>()
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.json')))
    for await (const line of createInterface(createReadStream(join(folder, name)))) {
      const { message = '', application_name: application } = JSON.parse(line) as {
        message?: string
        application_name?: string
      }
      const parts = /^duration: ([\d.]+) ms {2}plan:\n(.*)$/s.exec(message)
      if (!parts || application !== 'nmp') continue
      const { 'Query Text': text, Plan: plan } = JSON.parse(parts[2] ?? '') as { 'Query Text': string; Plan: PlanNode }
      // Lists of values are as long as what they name; what is sent is the same.
      const shape = text
        .replace(/\s+/g, ' ')
        .replace(/(\(?\$\d+(::\w+)?\)?(, )?){3,}/g, '$…')
        .trim()
      const ms = Number(parts[1])
      const statement = found.get(shape) ?? {
        text: shape,
        count: 0,
        medianMs: 0,
        longestMs: 0,
        pages: 0,
        scans: {},
        indices: [],
        times: [],
      }
      found.set(shape, statement)
      statement.count += 1
      statement.times.push(ms)
      if (ms >= statement.longestMs) {
        statement.longestMs = ms
        statement.pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
      }
      for (const node of walk(plan)) {
        const { 'Index Name': index, 'Relation Name': table = '' } = node
        if (index && !statement.indices.includes(index)) statement.indices.push(index)
        if (node['Node Type'] !== 'Seq Scan') continue
        const rows = ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0)
        statement.scans[table] = Math.max(statement.scans[table] ?? 0, rows)
      }
    }
  return [...found.values()]
    .map(({ times, ...statement }) => ({
      ...statement,
      medianMs: times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0,
    }))
    .toSorted((one, other) => other.count - one.count)
}

function* walk(node: PlanNode): Generator<PlanNode> {
  yield node
  for (const child of node.Plans ?? []) yield* walk(child)
}
