import type { EncodedImage, Picture } from '../../dataset.ts'
import type { Codec } from './codec.ts'
import type { DecodeRequest, RenderRequest } from './plan-decode.ts'

/** What a member takes of the frames of colour cameras; of depth everyone takes pixels. */
export type DecodedForm = 'pixels' | 'jpeg'

interface Drawn {
  readonly picture?: Picture
  readonly jpeg?: EncodedImage
}

/** Frames that lie in memory for a member that is slower, of each camera. */
const mostWaiting = 8

interface DecodingMember {
  readonly codec: Codec
  /** Nobody waits for it any more. */
  leave(): void
}

interface Member {
  readonly form: DecodedForm
  /** The last episode that it asked for, by camera. */
  readonly places: Map<string, number>
}

/**
 * One decoder for several who go through the same episodes in the same order: each frame is decoded once, and the fastest waits for the
 * others. Members join before the first of them asks.
 */
export class SharedDecoding {
  readonly #codec: Codec
  readonly #members = new Set<Member>()
  readonly #streams = new Map<string, Map<number, SharedStream>>()

  constructor(codec: Codec) {
    this.#codec = codec
  }

  join(form: DecodedForm): DecodingMember {
    const member: Member = { form, places: new Map() }
    this.#members.add(member)
    const codec: Codec = {
      ...this.#codec,
      decode: (request) => this.#decode(member, request),
      render: (request) => this.#render(member, request),
    }
    const leave = () => {
      this.#members.delete(member)
      for (const streams of this.#streams.values()) for (const stream of streams.values()) stream.drop(member)
    }
    return { codec, leave }
  }

  async *#decode(member: Member, request: DecodeRequest): AsyncGenerator<Picture> {
    const stream = this.#take(member, request, request.pixels === 'depth' ? 'depth' : 'pixels')
    if (!stream) yield* this.#codec.decode(request)
    else for await (const { picture } of stream.read(member)) yield picture as Picture
  }

  async *#render(member: Member, request: RenderRequest): AsyncGenerator<EncodedImage> {
    const stream = this.#take(member, request, 'jpeg')
    if (!stream) yield* this.#codec.render(request)
    else for await (const { jpeg } of stream.read(member)) yield jpeg as EncodedImage
  }

  /** Undefined where it has to decode for itself: what nobody else wants, or a second time. */
  #take(member: Member, request: DecodeRequest, wanted: DecodedForm | 'depth'): SharedStream | undefined {
    const { shared } = request
    if (!shared || (wanted !== 'depth' && wanted !== member.form)) return undefined
    const { camera, place } = shared
    const last = member.places.get(camera) ?? -1
    if (place <= last) return undefined
    member.places.set(camera, place)
    const streams = this.#streams.get(camera) ?? new Map<number, SharedStream>()
    this.#streams.set(camera, streams)
    for (const [earlier, stream] of streams) {
      // An episode that it left out for another reason.
      if (earlier < place) stream.dropUnread(member)
      if (stream.isOver) streams.delete(earlier)
    }
    const known = streams.get(place)
    if (known) return known
    // Who is further left this episode out.
    const takers = [...this.#members].filter((other) => other === member || (other.places.get(camera) ?? -1) < place)
    if (takers.length < 2) return undefined
    const stream = new SharedStream(this.#open({ ...request, giveMemory: undefined }, wanted, takers), takers)
    streams.set(place, stream)
    return stream
  }

  async *#open(
    request: DecodeRequest,
    wanted: DecodedForm | 'depth',
    takers: readonly Member[],
  ): AsyncGenerator<Drawn> {
    if (wanted === 'depth' || takers.every(({ form }) => form === 'pixels'))
      for await (const picture of this.#codec.decode(request)) yield { picture }
    else if (takers.every(({ form }) => form === 'jpeg'))
      for await (const jpeg of this.#codec.render(request)) yield { jpeg }
    else yield* this.#codec.decodeAndRender(request)
  }
}

/** The frames of one camera of one episode. */
class SharedStream {
  readonly #source: AsyncGenerator<Drawn>
  readonly #waiting: Map<Member, Drawn[]>
  readonly #readers = new Set<Member>()
  #isAsking = false
  #end: { readonly error?: unknown } | undefined
  #change = Promise.withResolvers<void>()

  constructor(source: AsyncGenerator<Drawn>, takers: readonly Member[]) {
    this.#source = source
    this.#waiting = new Map(takers.map((member) => [member, []]))
  }

  get isOver(): boolean {
    return this.#waiting.size === 0
  }

  async *read(member: Member): AsyncGenerator<Drawn> {
    this.#readers.add(member)
    try {
      for (;;) {
        const waiting = this.#waiting.get(member) ?? []
        const next = waiting.shift()
        if (next) {
          this.#tell()
          yield next
        } else if (this.#end) {
          if ('error' in this.#end) throw this.#end.error
          return
        } else if (this.#isAsking || this.#isAnyFull()) await this.#change.promise
        else await this.#ask()
      }
    } finally {
      this.drop(member)
      // A decoder that nobody listens to any more is to be free when its last reader is done.
      if (this.isOver) await this.#source.return(undefined)
    }
  }

  drop(member: Member): void {
    this.#waiting.delete(member)
    this.#tell()
  }

  dropUnread(member: Member): void {
    if (!this.#readers.has(member)) this.drop(member)
  }

  #isAnyFull(): boolean {
    return this.#waiting.values().some(({ length }) => length >= mostWaiting)
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    try {
      const { value, done } = await this.#source.next()
      if (done) this.#end = {}
      else for (const waiting of this.#waiting.values()) waiting.push(value)
    } catch (error) {
      this.#end = { error }
    } finally {
      this.#isAsking = false
      this.#tell()
    }
  }

  #tell(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}
