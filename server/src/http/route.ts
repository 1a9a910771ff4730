import type { Static, TSchema } from 'typebox'
import type { AccessRule, Grants } from '../access/access.ts'
import type { Caller, SessionPrincipal } from '../access/principal.ts'
import type { Scope } from '../access/scopes.ts'
import type { Context } from '../context.ts'
import type { ErrorCode } from '../errors.ts'
import type { StreamedBody } from './bodies/send-body.ts'

/** The groups of the API, in the order in which documents list them. */
export const tags = [
  'Platform',
  'Catalog',
  'Users and tokens',
  'Projects',
  'Project datasets',
  'Imports',
  'Exports',
] as const
export type Tag = (typeof tags)[number]

export const tagDescriptions: Record<Tag, string> = {
  Platform: 'Version, health and metrics of the program.',
  Catalog: 'Read datasets and versions: manifests, episodes, frames, statistics, media and files.',
  'Users and tokens': 'Your account, personal access tokens, notifications and live events.',
  Projects: 'Organizations, members, invites, projects and the audit log.',
  'Project datasets': 'Datasets of a project: details, publishing, revisions, flags and annotations.',
  Imports: 'Bring data into a project, from Hugging Face, uploads, addresses or versions.',
  Exports: 'Derived versions, their recipes and previews, exports and downloads.',
}

/**
 * Which credentials open a route: none needed, one that shows more where it is sent, a session only, or a session or a token with all
 * of these scopes.
 */
export type Credentials = 'none' | 'optional' | 'session' | readonly [Scope, ...Scope[]]

export interface BodyBounds {
  mostBytes: number
  mostValues: number
}

/** Enough for every form that people fill in. What is larger is received on the disk and answered by another thread. */
export const smallBody: BodyBounds = { mostBytes: 128 * 1024, mostValues: 4_000 }

export const needsCredential = ({ credentials }: Pick<AnyRoute, 'credentials'>): boolean =>
  credentials !== 'none' && credentials !== 'optional'

/** Where a request comes from. The user agent is its own claim, cut to a line. */
export interface RequestClient {
  address: string
  userAgent: string
}

type StaticOr<S, Fallback> = S extends TSchema ? Static<S> : Fallback

type CallerOf<K, C> = C extends 'session' ? Caller<SessionPrincipal> : K extends 'anyone' ? Caller | undefined : Caller

export type RouteRequest<K extends AccessRule['kind'], C, P, Q, H, B> = Grants[K] & {
  caller: CallerOf<K, C>
  params: StaticOr<P, Record<string, never>>
  query: StaticOr<Q, Record<string, never>>
  headers: StaticOr<H, Record<string, never>>
  body: StaticOr<B, undefined>
  client: RequestClient
  /** HEAD runs the same handler; one that streams answers its headers and an empty stream. */
  isHead: boolean
  /** Aborted when the client goes away. */
  signal: AbortSignal
}

export interface RouteDefinition<
  K extends AccessRule['kind'] = AccessRule['kind'],
  C extends Credentials = Credentials,
  P extends TSchema | undefined = TSchema | undefined,
  Q extends TSchema | undefined = TSchema | undefined,
  H extends TSchema | undefined = TSchema | undefined,
  B extends TSchema | undefined = TSchema | undefined,
  R extends TSchema | 'bytes' = TSchema | 'bytes',
> {
  /** The operation's name in OpenAPI and in the SDKs. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As OpenAPI writes it: `/api/v1/orgs/{org_slug}/projects`. */
  path: string
  tag: Tag
  summary: string
  description: string
  credentials: C
  access: Extract<AccessRule, { kind: K }>
  params?: P
  query?: Q
  headers?: H
  body?: B
  /** What a body can need, where that is more than `smallBody`: its bytes, and the keys and values in it. */
  bodyBounds?: BodyBounds
  response: R
  /** Content types of a success besides JSON, where the query asks for them; a handler answers these with a stream. */
  otherTypes?: readonly string[]
  /** What fields of a well-formed request say together; throws a 422, before anybody asks whether the path exists. */
  checkForm?(request: Pick<RouteRequest<K, C, P, Q, H, B>, 'params' | 'query' | 'headers' | 'body'>): void
  /** Status of a success: 200 unless said. */
  status?: 200 | 201 | 202
  /** Refusals of its own, beyond those that credentials, access and schemas imply. */
  errors?: readonly ErrorCode[]
  handle(
    context: Context,
    request: RouteRequest<K, C, P, Q, H, B>,
  ): Promise<R extends TSchema ? Static<R> | Reply<Static<R>> : Reply<StreamedBody | undefined>>
}

/** A handler's answer with more than a body: another status, headers, or a stream. */
export class Reply<Body> {
  readonly body: Body
  readonly status: number | undefined
  readonly headers: Record<string, string>

  constructor(body: Body, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? {}
  }
}

/**
 * The one place where a route is described. Validation, refusals, OpenAPI, the docs page and the permission test are made from it,
 * so a route cannot exist without saying who may call it.
 */
export const defineRoute = <
  K extends AccessRule['kind'],
  const C extends Credentials,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  H extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R extends TSchema | 'bytes' = TSchema,
>(
  definition: RouteDefinition<K, C, P, Q, H, B, R>,
): AnyRoute => definition as unknown as AnyRoute

/** A route whose schemas are no longer known to the compiler: what the HTTP layer and the emitters work on. */
export interface AnyRoute extends Omit<RouteDefinition, 'handle' | 'access' | 'checkForm'> {
  access: AccessRule
  checkForm?(request: Record<string, unknown>): void
  handle(context: Context, request: Record<string, unknown>): Promise<unknown>
}
