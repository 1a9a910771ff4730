import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

/**
 * Preloaded into the program: the resolver of a machine whose attacker has a name server. A name such as `out-in.rebind.example` leads
 * outside at the first look-up and to this machine at each that follows; `out+in` to both at once. What is connected to under such a name
 * is led to the service inside, whatever the port: on the port of https nobody but root can listen.
 */
const { NMP_REBIND_PORT: port = '', NMP_REBIND_JOURNAL: journal = '' } = process.env
const addresses: Record<string, string> = { out: '93.184.215.14', in: '127.0.0.1' }
const zone = '.rebind.example'
const looked = new Map<string, number>()

function answer(host: string): string[] {
  const steps = host.slice(0, -zone.length).split('.').at(-1)?.split('-') ?? []
  const place = looked.get(host) ?? 0
  looked.set(host, place + 1)
  const step = steps[Math.min(place, steps.length - 1)] ?? ''
  appendFileSync(journal, `${host} ${step}\n`)
  return step.split('+').map((word) => addresses[word] ?? '')
}

type Lookup = (host: string, options: { all?: boolean }, done: (...words: unknown[]) => void) => void
const resolve = dns.lookup as unknown as Lookup
const lookup: Lookup = (host, options, done) => {
  if (!host.endsWith(zone)) return resolve(host, options, done)
  const found = answer(host).map((address) => ({ address, family: 4 }))
  if (options.all) done(null, found)
  else done(null, found[0]?.address, 4)
}
dns.lookup = lookup as unknown as typeof dns.lookup
syncBuiltinESMExports()

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (this: net.Socket, ...words: unknown[]) {
  const [first] = Array.isArray(words[0]) ? words[0] : words
  if (typeof first === 'object' && first !== null && 'host' in first && String(first.host).endsWith(zone))
    Object.assign(first, { port: Number(port) })
  return Reflect.apply(connect, this, words)
}
