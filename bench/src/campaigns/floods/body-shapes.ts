import { type AnyRoute, type BodyBounds, smallBody } from '../../../../server/src/http/route.ts'
import { routes } from '../../../../server/src/routes.ts'

export interface HostileRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** The worst that a route accepts, or just refuses: what it costs to find out is what others wait for. Several are sent in turn. */
export interface HostileBody {
  name: string
  requests: HostileRequest[]
}

/** As much of one kind as bounds of bytes, and of keys and values, let in. */
type Shape = (bounds: BodyBounds, field: string) => string

/** Joined by commas, as many as there is room for; each counts for so many keys and values. */
function fill({ mostBytes, mostValues }: BodyBounds, values: number, piece: (index: number) => string): string {
  const pieces: string[] = []
  const room = mostBytes - 200
  const most = Math.floor((mostValues - 80) / values)
  for (let bytes = 0, index = 0; index < most; index++) {
    const next = piece(index)
    bytes += next.length + 1
    if (bytes > room) break
    pieces.push(next)
  }
  return pieces.join(',')
}

const levels = 58
const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`

const shapes: Record<string, Shape> = {
  'nested lists': (bounds, field) => `{"${field}":[${fill(bounds, levels + 1, () => deep)}]}`,
  'empty lists': (bounds, field) => `{"${field}":[${fill(bounds, 2, () => '[]')}]}`,
  'unknown keys': (bounds) => `{${fill(bounds, 2, (index) => `"k${index.toString(36)}":1`)}}`,
  'a long text': ({ mostBytes }, field) => `{"${field}":"${'x'.repeat(mostBytes - 200)}"}`,
  escapes: ({ mostBytes }, field) => `{"${field}":"${'\\u00e4'.repeat((mostBytes - 200) / 6)}"}`,
  numbers: (bounds, field) => `{"${field}":[${fill(bounds, 1, (index) => `-1.797693134862315${index % 10}e308`)}]}`,
}

/** One row for each shape, small and large: every route that takes a body gets it in turn, in the first field that it knows. */
export function listShapedBodies(bearer: string, places: Record<string, string>): HostileBody[] {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  const withBody = routes.filter((route) => route.body !== undefined)
  const isSmall = ({ bodyBounds = smallBody }: AnyRoute): boolean => bodyBounds.mostBytes <= smallBody.mostBytes
  const sizes: [name: string, chosen: AnyRoute[]][] = [
    ['small', withBody.filter(isSmall)],
    ['large', withBody.filter((route) => !isSmall(route))],
  ]
  return sizes.flatMap(([size, chosen]) =>
    Object.entries(shapes).map(([shape, make]) => ({
      name: `every ${size} body, ${shape} (${chosen.length} routes)`,
      requests: chosen.map((route): HostileRequest => {
        const [field = 'x'] = Object.keys((route.body as { properties?: object }).properties ?? {})
        const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? 'none')
        const body = Buffer.from(make(route.bodyBounds ?? smallBody, field))
        return { method: route.method, path, headers, body }
      }),
    })),
  )
}
