type Labels = Readonly<Record<string, string | number>>

/** Everything that /metrics says, in the text format that Prometheus reads; parts that start later add theirs. A name is taken once. */
export interface Metrics {
  /** Counts by labels; a combination is there from the first time it is counted. */
  addCounter(name: string): { count(labels: Labels): void }
  addHistogram(name: string, bounds: readonly number[]): { observe(value: number): void }
  /** A number that is kept elsewhere, read when somebody asks. */
  addReading(name: string, kind: 'counter' | 'gauge', read: () => number): void
  /** Numbers that have to be asked for; where nobody answers, they are left out. */
  addGauges(read: () => Promise<Readonly<Record<string, number>>>): void
  /** What a process beside this one says, in the same format; each of its lines gets the label. */
  addSource(label: Labels, read: () => Promise<string>): void
  render(): Promise<string>
}

export function createMetrics(): Metrics {
  const all = new Map<string, () => string[]>()
  const sources: { label: string; read: () => Promise<string> }[] = []
  const asked: (() => Promise<Readonly<Record<string, number>>>)[] = []
  const add = (name: string, kind: string, list: () => string[]): void => {
    if (all.has(name)) throw new Error(`the metric ${name} is there already`)
    all.set(name, () => [`# TYPE ${name} ${kind}`, ...list()])
  }
  return {
    addCounter(name) {
      const counts = new Map<string, number>()
      add(name, 'counter', () => [...counts].map(([labels, count]) => `${name}{${labels}} ${count}`))
      return {
        count(labels) {
          const key = renderLabels(labels)
          counts.set(key, (counts.get(key) ?? 0) + 1)
        },
      }
    },
    addHistogram(name, bounds) {
      const counts = new Array<number>(bounds.length + 1).fill(0)
      let sum = 0
      add(name, 'histogram', () => {
        let seen = 0
        const buckets = counts.map((count, index) => {
          seen += count
          return `${name}_bucket{le="${bounds[index] ?? '+Inf'}"} ${seen}`
        })
        return [...buckets, `${name}_sum ${sum}`, `${name}_count ${seen}`]
      })
      return {
        observe(value) {
          const at = bounds.findIndex((bound) => value <= bound)
          const index = at === -1 ? bounds.length : at
          counts[index] = (counts[index] ?? 0) + 1
          sum += value
        },
      }
    },
    addReading: (name, kind, read) => add(name, kind, () => [`${name} ${read()}`]),
    addGauges: (read) => void asked.push(read),
    addSource: (label, read) => void sources.push({ label: renderLabels(label), read }),
    async render() {
      const families = new Map<string, string[]>()
      for (const list of all.values()) addSamples(families, list(), (line) => line)
      for (const read of asked) {
        const gauges = await read().catch(() => ({}))
        for (const [name, value] of Object.entries(gauges))
          addSamples(families, [`# TYPE ${name} gauge`, `${name} ${value}`], (line) => line)
      }
      for (const { label, read } of sources)
        addSamples(families, (await read()).split('\n'), (line) => addLabel(line, label))
      return [...families].flatMap((family) => family.flat().map((line) => `${line}\n`)).join('')
    },
  }
}

/** Samples of one name stand together, after the line of its type, whichever process they come from. */
function addSamples(families: Map<string, string[]>, lines: readonly string[], change: (line: string) => string): void {
  let samples: string[] = []
  for (const line of lines) {
    if (line.startsWith('# TYPE ')) {
      samples = families.get(line) ?? []
      families.set(line, samples)
    } else if (line !== '') samples.push(change(line))
  }
}

const addLabel = (line: string, label: string): string =>
  line.replace(/^(\w+)(?:\{(.*)\})? /, (_, name, others) => `${name}{${others ? `${others},` : ''}${label}} `)

const escapes: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

const renderLabels = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${String(value).replaceAll(/[\\"\n]/g, (sign) => escapes[sign] ?? sign)}"`)
    .join(',')
