/**
 * SHA-256 of a short text. `crypto.subtle` exists on https and localhost only, and a lab's server on plain http is where
 * many first try this; the PKCE challenge needs no more than this.
 */
export async function hashSha256(text: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  if (globalThis.crypto.subtle) return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return hashPlainly(bytes)
}

const primes = [...listPrimes(64)]
const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) | 0
const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n))

function hashPlainly(bytes: Uint8Array): Uint8Array {
  const rounds = primes.map((prime) => fraction(Math.cbrt(prime)))
  const state = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 4, bytes.length * 8)
  const words = new Int32Array(64)
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + i * 4)
    for (let i = 16; i < 64; i++) {
      const a = words[i - 15] ?? 0
      const b = words[i - 2] ?? 0
      const low = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
      const high = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
      words[i] = ((words[i - 16] ?? 0) + low + (words[i - 7] ?? 0) + high) | 0
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let i = 0; i < 64; i++) {
      const first =
        (h +
          (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
          ((e & f) ^ (~e & g)) +
          (rounds[i] ?? 0) +
          (words[i] ?? 0)) |
        0
      const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
    }
    for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = ((state[i] ?? 0) + value) | 0
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (const [i, value] of state.entries()) digest.setInt32(i * 4, value)
  return new Uint8Array(digest.buffer)
}

function* listPrimes(count: number): Generator<number> {
  for (let n = 2, found = 0; found < count; n++) {
    let isPrime = true
    for (let d = 2; d * d <= n; d++) if (n % d === 0) isPrime = false
    if (!isPrime) continue
    found++
    yield n
  }
}
