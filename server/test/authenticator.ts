import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

interface AuthenticatorOptions {
  origin: string
  /** Whether it verifies its person, by a finger or a PIN. */
  verifiesPerson?: boolean
}

interface Ask {
  challenge: string
  rpId?: string
  rp?: { id: string }
  user?: { id: string }
}

/** An authenticator with one discoverable ES256 key, as a browser would let a page use it. */
export function createAuthenticator({ origin, verifiesPerson = true }: AuthenticatorOptions) {
  const id = randomBytes(16)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const state = { counter: 0, userHandle: '' }
  const clientData = (type: string, challenge: string, from = origin): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const authenticatorData = (rpId: string, flags: number, rest = Buffer.alloc(0)): Buffer => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(state.counter)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter, rest])
  }
  const flags = verifiesPerson ? 0x05 : 0x01

  return {
    state,
    /** The answer to what a page asks when a passkey is added. */
    create(ask: Ask): string {
      state.userHandle = ask.user?.id ?? ''
      const idLength = Buffer.alloc(2)
      idLength.writeUInt16BE(id.length)
      const attested = Buffer.concat([Buffer.alloc(16), idLength, id, encodeKey(publicKey)])
      const authData = authenticatorData(ask.rp?.id ?? '', flags | 0x40, attested)
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), bytes(authData)],
      ])
      return JSON.stringify({
        id: id.toString('base64url'),
        rawId: id.toString('base64url'),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', ask.challenge).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      })
    },
    /** The answer to what a page asks at the sign-in, as the page at `from` would get it. */
    get(ask: Ask, from = origin): string {
      state.counter += 1
      const authData = authenticatorData(ask.rpId ?? '', flags)
      const data = clientData('webauthn.get', ask.challenge, from)
      const signature = sign(
        'sha256',
        Buffer.concat([authData, createHash('sha256').update(data).digest()]),
        privateKey,
      )
      return JSON.stringify({
        id: id.toString('base64url'),
        rawId: id.toString('base64url'),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: state.userHandle,
        },
      })
    },
  }
}

/** COSE (RFC 9052): EC2, ES256, P-256, x and y. */
function encodeKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    bytes(Buffer.from(y, 'base64url')),
  ])
}

const text = (value: string): Buffer => Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)])
const bytes = (value: Buffer): Buffer =>
  Buffer.concat([
    value.length < 256
      ? Buffer.from([0x58, value.length])
      : Buffer.from([0x59, value.length >> 8, value.length & 0xff]),
    value,
  ])
