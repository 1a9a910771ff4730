/** One measurement against a peer or a limit, both taken in the same run. */
export interface BenchRow {
  name: string
  ours: string
  peer: string
  /** Ours over the peer's, or the other way round where more is better; as `goal` says. 0: not measured. */
  ratio: number
  goal: string
  met: boolean
  note?: string
}

export const judgeRow = (row: BenchRow): 'met' | 'missed' | 'not measured' =>
  row.ratio === 0 ? 'not measured' : row.met ? 'met' : 'missed'
