import type { Caller, SessionPrincipal, TokenPrincipal } from '../../access/principal.ts'
import type { Scope } from '../../access/scopes.ts'
import { recordAudit } from '../../audit/service.ts'
import { cursorsOf, type ListRequest, readList } from '../../cursor.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { notFound } from '../../errors.ts'
import { createId } from '../../ids.ts'
import { cliClientId } from '../client-ids.ts'
import * as repository from './repository.ts'
import { createSecret, digestOf, isSecret } from './secret.ts'

export type TokenRecord = repository.TokenRecord

export interface TokenRequest {
  name: string
  scopes: readonly Scope[]
  /** Unless said, 90; 30 for the command line, whose token lies in a file of some machine. */
  expiresInDays: number | undefined
  from: { address: string; userAgent: string }
}

const defaultDays = 90
const commandLineDays = 30

/** The secret is returned here once and stored nowhere: the row keeps its hash, first and last characters. */
export const createToken = (
  db: Database,
  caller: Caller<SessionPrincipal>,
  { name, scopes, expiresInDays, from }: TokenRequest,
): Promise<{ record: TokenRecord; secret: string }> =>
  inTransaction(db, async (trx) => {
    const secret = createSecret()
    const record = await repository.insertToken(trx, {
      id: createId('tok'),
      userId: caller.userId,
      name,
      secretSha256: digestOf(secret),
      prefix: secret.slice(0, 8),
      suffix: secret.slice(-4),
      scopes: [...new Set(scopes)],
      expiresInDays: expiresInDays ?? (caller.clientId === cliClientId ? commandLineDays : defaultDays),
      clientId: caller.clientId ?? null,
      madeAtAddress: from.address,
      madeByAgent: from.userAgent,
      secondProof: caller.hasSecondProof,
    })
    await recordAudit(trx, caller, {
      action: 'token.create',
      resource: { kind: 'token', id: record.id },
      detail: { name, scopes: record.scopes, client_id: record.clientId },
    })
    return { record, secret }
  })

export const listTokens = (db: Database, userId: string, request: ListRequest) =>
  readList(
    cursorsOf('tokens', userId),
    request,
    (limit, before) => repository.listTokens(db, userId, limit, before),
    (row) => row.id,
  )

export const revokeToken = (db: Database, caller: Caller, tokenId: string): Promise<TokenRecord> =>
  inTransaction(db, async (trx) => {
    const record = await repository.revokeToken(trx, tokenId, caller.userId)
    if (!record) throw notFound()
    await recordAudit(trx, caller, { action: 'token.revoke', resource: { kind: 'token', id: tokenId } })
    return record
  })

export const revokeTokenAsOperator = (db: Database, tokenId: string): Promise<TokenRecord> =>
  inTransaction(db, async (trx) => {
    const record = await repository.revokeToken(trx, tokenId)
    if (!record) throw new Error(`There is no token ${tokenId}.`)
    await recordAudit(trx, 'operator', { action: 'token.revoke', resource: { kind: 'token', id: tokenId } })
    return record
  })

export const revokeTokensOf = (db: Database, userId: string): Promise<void> => repository.revokeTokensOf(db, userId)

/** Whose token this is. The checksum is looked at before any query, so random guesses never reach the database. */
export async function findTokenPrincipal(db: Database, secret: string): Promise<TokenPrincipal | undefined> {
  if (!isSecret(secret)) return undefined
  const token = await repository.findLiveToken(db, digestOf(secret))
  if (!token) return undefined
  if (!token.lastUsedAt || Date.now() - token.lastUsedAt.getTime() > 60_000) await repository.touchToken(db, token.id)
  return {
    kind: 'token',
    userId: token.userId,
    email: token.email,
    tokenId: token.id,
    scopes: token.scopes,
    hasSecondProof: token.hasSecondProof,
  }
}
