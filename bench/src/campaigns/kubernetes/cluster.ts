import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseYaml } from '@nmp/formats/yaml'
import { kedaKinds } from './schemas.ts'

interface Tried {
  name: string
  passed: boolean
  said: string
}

export interface Cluster {
  /** Every object of these documents, as `kubectl apply --dry-run=server` would send it. */
  tryOut(documents: string): Promise<Tried[]>
  close(): Promise<void>
}

interface Answer {
  status: number
  warnings: string[]
  body: string
}

const namespace = 'nmp'
const startSeconds = 300

/** A control plane without machines: etcd and kube-apiserver, with KEDA's definitions and a namespace for restricted pods only. */
export async function openCluster(tools: string, folder: string): Promise<Cluster> {
  const [client, peer, port] = await Promise.all([findPort(), findPort(), findPort()])
  const children: ChildProcess[] = []
  const start = (program: string, words: string[]): void => {
    const output = openSync(join(folder, `${program.split('/').at(-1)}.log`), 'w')
    children.push(spawn(program, words, { stdio: ['ignore', output, output] }))
  }
  const close = async (): Promise<void> => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
  const token = randomBytes(16).toString('hex')
  await writeFile(join(folder, 'tokens.csv'), `${token},admin,1,"system:masters"\n`)
  const key = join(folder, 'accounts.key')
  execFileSync('openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' })
  const etcd = `http://127.0.0.1:${client}`
  const peerUrl = `http://127.0.0.1:${peer}`
  start('etcd', [
    `--data-dir=${folder}/etcd`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ])
  start(join(tools, 'kube-apiserver'), [
    `--etcd-servers=${etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}/certificates`,
    `--token-auth-file=${folder}/tokens.csv`,
    '--authorization-mode=RBAC',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-account-issuer=https://nmp.invalid',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--disable-admission-plugins=ServiceAccount',
  ])
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true })
  const ask = async (method: string, path: string, body = ''): Promise<Answer> => {
    const sent = request(`https://127.0.0.1:${port}${path}`, {
      method,
      agent,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json',
      },
    })
    sent.end(body)
    const [response] = await once(sent, 'response')
    const warnings = [response.headers.warning ?? []].flat()
    return { status: response.statusCode, warnings, body: await text(response) }
  }
  const deadline = performance.now() + startSeconds * 1000
  const isReady = (): Promise<boolean> =>
    ask('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) {
    const ended = children.find((child) => child.exitCode !== null)
    if (ended || performance.now() > deadline) {
      await close()
      throw new Error(`The control plane does not start: ${await readFile(join(folder, 'kube-apiserver.log'), 'utf8')}`)
    }
    await sleep(500)
  }
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (const name of kedaKinds)
    await ask(
      'PATCH',
      `${definitions}/${name}.keda.sh?fieldManager=nmp&force=true`,
      await readFile(join(tools, `${name}.json`), 'utf8'),
    )
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/warn': 'restricted' }
  await ask('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace, labels } }))
  while ((await ask('GET', `/apis/keda.sh/v1alpha1/namespaces/${namespace}/scaledobjects`)).status !== 200) {
    if (performance.now() > deadline) throw new Error('The definitions of KEDA are not served.')
    await sleep(500)
  }

  const resources = new Map<string, string>()
  const findResource = async (place: string, kind: string): Promise<string> => {
    const known = resources.get(`${place} ${kind}`)
    if (known) return known
    const list = JSON.parse((await ask('GET', place)).body) as { resources?: { name: string; kind: string }[] }
    const found = list.resources?.find((one) => one.kind === kind && !one.name.includes('/'))?.name
    if (!found) throw new Error(`The server knows no ${kind} at ${place}.`)
    resources.set(`${place} ${kind}`, found)
    return found
  }
  return {
    close,
    async tryOut(documents) {
      const tried: Tried[] = []
      for (const document of documents.split(/^---$/m)) {
        if (!/^kind:/m.test(document)) continue
        const { apiVersion, kind, metadata } = parseYaml(document) as unknown as {
          apiVersion: string
          kind: string
          metadata: { name: string }
        }
        const place = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
        const path = `${place}/namespaces/${namespace}/${await findResource(place, kind)}/${metadata.name}`
        const query = 'fieldManager=nmp&dryRun=All&fieldValidation=Strict'
        const { status, warnings, body } = await ask('PATCH', `${path}?${query}`, document)
        const passed = (status === 200 || status === 201) && warnings.length === 0
        const said = passed ? '' : [status, ...warnings, body.slice(0, 1000)].join(' ')
        tried.push({ name: `${kind} ${metadata.name}`, passed, said })
      }
      return tried
    },
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
