import { execFileSync, spawnSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanUp, makeFolder } from '../../../e2e/program.ts'
import { describeMachine, writeResult } from './campaign-result.ts'
import { openCluster } from './kubernetes/cluster.ts'
import { writeSchemas } from './kubernetes/schemas.ts'
import type { CampaignOptions } from './options.ts'

const root = join(import.meta.dirname, '../../..')
const chart = join(root, 'deploy/helm')
const kubernetesVersion = '1.37.0'

interface Outcome {
  what: string
  passed: boolean
  said: string
}

/**
 * The chart as an operator meets it: `helm lint` and `helm template` with its defaults and each of its examples, every object against the
 * schemas of Kubernetes and KEDA, and a server-side dry run at a real kube-apiserver in a namespace that enforces the restricted standard
 * of pod security. Values that the chart does not know must be refused.
 */
export const campaignKubernetes = async ({ seed, scale }: CampaignOptions): Promise<boolean> => {
  const tools = execFileSync(join(root, '.ci/kubernetes-tools'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
    .trim()
    .split('\n')
    .at(-1)
  if (!tools) throw new Error('.ci/kubernetes-tools named no folder.')
  const outcomes: Outcome[] = []
  const note = (what: string, passed: boolean, said = ''): void => {
    outcomes.push({ what, passed, said })
    console.log(`${passed ? 'ok' : 'FAILED'} ${what}${said ? `: ${said}` : ''}`)
  }
  const run = (program: string, words: string[], input = '') => {
    const { status, stdout, stderr } = spawnSync(join(tools, program), words, { input, encoding: 'utf8' })
    return { passed: status === 0, stdout, said: `${stdout}\n${stderr}`.trim() }
  }
  const folder = await makeFolder()
  const cluster = await openCluster(tools, folder)
  try {
    await writeSchemas(tools, folder)
    const version = ['--kube-version', kubernetesVersion]
    const examples = (await readdir(join(chart, 'examples'))).map((name) => `examples/${name}`)
    for (const file of ['values.yaml', ...examples]) {
      const values = ['--values', join(chart, file)]
      const lint = run('helm', ['lint', '--strict', chart, ...values, ...version])
      note(`helm lint ${file}`, lint.passed, lint.passed ? '' : lint.said)
      const rendered = run('helm', ['template', 'nmp', chart, ...values, ...version])
      note(`helm template ${file}`, rendered.passed, rendered.passed ? '' : rendered.said)
      const location = `${folder}/{{ .ResourceKind }}{{ .KindSuffix }}.json`
      const words = ['-strict', '-summary', '-schema-location', location, '-']
      const conform = run('kubeconform', words, rendered.stdout)
      note(`kubeconform ${file}`, conform.passed, conform.said)
      for (const { name, passed, said } of await cluster.tryOut(rendered.stdout))
        note(`dry run ${file} ${name}`, passed, said)
    }
    for (const wrong of ['settings.NMP_SECRET_KEY=x', 'worker.jobsAtATime=0', 'wroker.replicas=1'])
      note(`refused: --set ${wrong}`, !run('helm', ['template', 'nmp', chart, ...version, '--set', wrong]).passed)
  } finally {
    await cluster.close()
    await cleanUp()
  }
  const passed = outcomes.every((outcome) => outcome.passed)
  await writeResult({ campaign: 'kubernetes', passed, seed, scale, ...describeMachine(), kubernetesVersion, outcomes })
  return passed
}
