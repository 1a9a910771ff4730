import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type { Context } from '../../context.ts'
import { createId } from '../../ids.ts'
import { findAccountById, type LocalAccount } from '../repository.ts'
import { addProof, removeProof } from '../second-step/service.ts'
import * as repository from './repository.ts'

export type Passkey = repository.Passkey

/** Challenges of the browser that asks: what it was given, and no other, is what it may answer. */
export interface Challenges {
  issue(purpose: string): Uint8Array<ArrayBuffer>
  /** When a challenge of this browser and purpose ends; undefined for any other. */
  findEnd(purpose: string, challenge: string): Date | undefined
}

type Parts = Pick<Context, 'db' | 'publicUrl' | 'log'>

const mostPasskeys = 20
/** ES256, EdDSA and RS256: what authenticators have. Named, since the package would try out every one that Node knows. */
const algorithms = [-7, -8, -257]
const signInPurpose = 'passkey sign-in'
const additionPurpose = (userId: string): string => `passkey of ${userId}`

/** Browsers give passkeys to names, by https or on this machine; never to a number. */
export function canHavePasskeys(publicUrl: string): boolean {
  const { hostname, protocol } = new URL(publicUrl)
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) return false
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
}

export const listPasskeys = ({ db }: Pick<Parts, 'db'>, userId: string): Promise<Passkey[]> =>
  repository.listPasskeys(db, userId)

/** What the browser is to ask of an authenticator: one of these passkeys, or of any that it has for this server. */
export async function offerPasskeySignIn(
  { publicUrl }: Pick<Parts, 'publicUrl'>,
  challenges: Challenges,
  allowed: readonly Passkey[] = [],
): Promise<string> {
  const options = await generateAuthenticationOptions({
    rpID: new URL(publicUrl).hostname,
    challenge: challenges.issue(signInPurpose),
    userVerification: 'required',
    allowCredentials: allowed.map(describeCredential),
  })
  return JSON.stringify(options)
}

/** Whose passkey has signed this challenge, with its person verified by the authenticator; undefined where nobody's did. */
export async function takePasskey(
  { db, publicUrl, log }: Parts,
  challenges: Challenges,
  given: string,
): Promise<LocalAccount | undefined> {
  const response = readJson<AuthenticationResponseJSON>(given)
  const passkey = typeof response?.id === 'string' ? await repository.findPasskey(db, response.id) : undefined
  if (!response || !passkey) return undefined
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (challenge) => challenges.findEnd(signInPurpose, challenge) !== undefined,
    ...expect(publicUrl),
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
    },
  }).catch((error: unknown) => {
    log.warn({ err: error, passkeyId: passkey.id }, 'a passkey was refused')
    return undefined
  })
  if (!verified?.verified) return undefined
  if (!(await spendChallenge({ db }, challenges, signInPurpose, response))) return undefined
  if (!(await repository.countPasskeyUse(db, passkey.id, verified.authenticationInfo.newCounter))) return undefined
  return findAccountById(db, passkey.userId)
}

export async function offerPasskeyAddition(
  { db, publicUrl }: Pick<Parts, 'db' | 'publicUrl'>,
  challenges: Challenges,
  { userId, email, name }: LocalAccount,
): Promise<string> {
  const { hostname, host } = new URL(publicUrl)
  const options = await generateRegistrationOptions({
    rpName: `nmp ${host}`,
    rpID: hostname,
    userName: email,
    userID: new TextEncoder().encode(userId),
    userDisplayName: name || email,
    challenge: challenges.issue(additionPurpose(userId)),
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: (await repository.listPasskeys(db, userId)).map(describeCredential),
  })
  return JSON.stringify(options)
}

interface PasskeyAddition {
  given: string
  name: string
  requestId: string
}

/** The recovery codes, where this is the account's first proof beside the password; undefined where the answer does not hold. */
export async function addPasskey(
  { db, publicUrl, log }: Parts,
  challenges: Challenges,
  account: LocalAccount,
  { given, name, requestId }: PasskeyAddition,
): Promise<string[] | undefined> {
  const response = readJson<RegistrationResponseJSON>(given)
  if (!response) return undefined
  const purpose = additionPurpose(account.userId)
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: (challenge) => challenges.findEnd(purpose, challenge) !== undefined,
    ...expect(publicUrl),
    supportedAlgorithmIDs: algorithms,
  }).catch((error: unknown) => {
    log.warn({ err: error, userId: account.userId }, 'a new passkey was refused')
    return undefined
  })
  if (!verified?.verified) return undefined
  if (!(await spendChallenge({ db }, challenges, purpose, response))) return undefined
  const { credential } = verified.registrationInfo
  return addProof({ db }, account, { action: 'passkey.add', requestId }, async (trx) => {
    if ((await repository.listPasskeys(trx, account.userId)).length >= mostPasskeys) return false
    return repository.insertPasskey(trx, {
      id: createId('psk'),
      userId: account.userId,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((one) => /^[\w-]{1,20}$/.test(one)).slice(0, 10),
      name: name.trim().slice(0, 100) || 'Passkey',
    })
  })
}

/** The name of the passkey that is gone; undefined where there was none. */
export const removePasskey = (
  { db }: Pick<Parts, 'db'>,
  account: LocalAccount,
  { id, requestId }: { id: string; requestId: string },
): Promise<string | undefined> =>
  removeProof({ db }, account, { action: 'passkey.remove', requestId }, (trx) =>
    repository.deletePasskey(trx, account.userId, id),
  )

const expect = (publicUrl: string) => ({
  expectedOrigin: new URL(publicUrl).origin,
  expectedRPID: new URL(publicUrl).hostname,
  requireUserVerification: true,
})

const describeCredential = ({ credentialId, transports }: Passkey) => ({ id: credentialId, transports })

/** A challenge that was answered well is answered for good. */
async function spendChallenge(
  { db }: Pick<Parts, 'db'>,
  challenges: Challenges,
  purpose: string,
  { response }: { response: { clientDataJSON: string } },
): Promise<boolean> {
  const clientData = readJson<{ challenge: string }>(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'))
  const end = clientData && challenges.findEnd(purpose, clientData.challenge)
  if (!end) return false
  return repository.spendChallenge(db, createHash('sha256').update(clientData.challenge).digest(), end)
}

function readJson<T>(text: string): T | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}
