import type pg from 'pg'
import type { CommandResult } from '../../../../e2e/program.ts'

/** A program of the fleet, which is started again as whoever watches over it would. */
export interface Part {
  name: string
  /** Ready when this returns. */
  start(): Promise<void>
  /** `kill -9` of all its processes. */
  kill(): Promise<void>
  /** SIGTERM, and the exit code. */
  stop(): Promise<number>
  /** It stands still until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
}

/** What lies between two parts, and may vanish without a word to either, as behind a pulled cable. */
export interface Link {
  cut(): Promise<void>
  mend(): Promise<void>
}

/** An API or a worker. */
export interface Member extends Part {
  url: string
  toDatabase: Link
  toObjects: Link
  /** In the place of `start`: what it works on lies on a disk that holds no import. The answer stops it and gives its disk back. */
  startOnFullDisk(): Promise<() => Promise<void>>
}

export interface Objects extends Part {
  url: string
}

export interface PostgresServer extends Pick<Part, 'start' | 'kill'> {
  /** As other parts of the fleet reach it. */
  url: string
  query(text: string): Promise<pg.QueryResult>
}

/** Names that members know, and that lead to another server when a managed service swaps them. */
export type DatabasePlace = 'database' | 'replica'

/** What a fleet runs on: processes of this machine, or containers. */
export interface Machines {
  /** Of the reverse proxy: all that clients know. */
  url: string
  /** Where logs are. */
  folder: string
  /** A server of its own, or with `of` a streaming replica of that one. It does not run yet. */
  createPostgres(of?: PostgresServer): Promise<PostgresServer>
  lead(place: DatabasePlace, server: PostgresServer): Promise<void>
  /** An S3 server with the bucket `nmp`; key `nmp`. */
  createObjects(secret: string): Promise<Objects>
  /** With the addresses of the others added to its settings. */
  createMember(role: 'api' | 'worker', name: string, settings: Record<string, string>): Promise<Member>
  /** By deploy/haproxy.cfg. */
  createProxy(apis: readonly Member[]): Promise<Part>
  runAdmin(settings: Record<string, string>, words: string[]): Promise<CommandResult>
  /** Who is started from now on, and every operator command, is the next release, with a migration more. */
  upgrade(): Promise<void>
  close(): Promise<void>
}

/** Of the next release. */
export const nextMigration = 'create table next_release (id integer primary key);\n'
