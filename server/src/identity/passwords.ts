import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { createLimiter } from '@nmp/formats/limiter'
import { ServiceError } from '../errors.ts'

const shortest = 8
const longest = 200

/** The sentence for a person whose password cannot be taken, or undefined when it can. */
export function describePasswordProblem(password: string): string | undefined {
  const length = [...normalize(password)].length
  return length < shortest || length > longest
    ? `A password has ${shortest} to ${longest} characters; this one has ${length}.`
    : undefined
}

interface Parameters {
  /** Logarithm of the cost: memory is 128 * r * 2^ln bytes. */
  ln: number
  r: number
  p: number
}

/** OWASP's setting with the least memory that still costs as much as its first: 32 MiB, about 0.2 s of one core. */
const current: Parameters = { ln: 15, r: 8, p: 3 }
const hashBytes = 32

/** `$scrypt$ln=15,r=8,p=3$salt$hash`: each hash carries its parameters, so that they can be raised at any time. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, current, hashBytes)
  return `$scrypt$${describeParameters(current)}$${encode(salt)}$${encode(hash)}`
}

/** Work for nothing: an account that does not exist, or has no password, takes as long as one that does. */
const decoy = `$scrypt$${describeParameters(current)}$${encode(Buffer.alloc(16))}$${encode(Buffer.alloc(hashBytes))}`

export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const { parameters, salt, hash } = parseHash(stored ?? decoy)
  const made = await derive(password, salt, parameters, hash.length)
  return timingSafeEqual(made, hash) && stored !== undefined
}

export const isHashOutdated = (stored: string): boolean => !stored.startsWith(`$scrypt$${describeParameters(current)}$`)

const form = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]{16,})\$([\w+/]{22,})$/

function parseHash(stored: string): { parameters: Parameters; salt: Buffer; hash: Buffer } {
  const [, ln, r, p, salt, hash] = form.exec(stored) ?? []
  if (!salt || !hash) throw new Error('A stored password hash is not in the form $scrypt$ln=…,r=…,p=…$salt$hash.')
  return {
    parameters: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

function describeParameters({ ln, r, p }: Parameters): string {
  return `ln=${ln},r=${r},p=${p}`
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

/** The same password typed on another keyboard is the same bytes. */
const normalize = (password: string): string => password.normalize('NFKC')

const mostAtOnce = 2
const mostWaiting = 50
const hashing = createLimiter(mostAtOnce)

/** At most two hashes at a time: they share four threads with file reads and name look-ups, and 32 MiB each add up. */
async function derive(password: string, salt: Buffer, { ln, r, p }: Parameters, sizeBytes: number): Promise<Buffer> {
  if (hashing.waitingCount >= mostWaiting)
    throw new ServiceError('too_many_requests', 'Too many people are signing in right now. Try again in a moment.', {
      retryAfterSeconds: 5,
    })
  const cost: ScryptOptions = { N: 2 ** ln, r, p, maxmem: 128 * r * (2 ** ln + p + 2) }
  return hashing.run(
    () =>
      new Promise((resolve, reject) =>
        scrypt(normalize(password), salt, sizeBytes, cost, (error, hash) => (error ? reject(error) : resolve(hash))),
      ),
  )
}
