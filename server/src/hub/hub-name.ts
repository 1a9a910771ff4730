import { ServiceError } from '../errors.ts'
import { showName } from './models/names.ts'

const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/
const mostCharacters = 100

/**
 * `PROJECT.SLUG`, or `SLUG` alone. Robot people write `pick_cube`: capitals and underscores are read as the slug they stand for, on
 * reading and on pushing alike.
 */
export function readName(name: string): { projectSlug?: string; slug: string } {
  const [first = '', second, ...rest] = name.toLowerCase().replaceAll('_', '-').split('.')
  const slug = second ?? first
  const parts = second === undefined ? [slug] : [first, slug]
  const isFit = (part: string) => part.length <= mostCharacters && slugForm.test(part)
  if (rest.length > 0 || !parts.every((part, at) => isFit(at === parts.length - 1 ? showName(part) : part)))
    throw new ServiceError(
      'malformed_request',
      `${JSON.stringify(showName(name).slice(0, mostCharacters))} is not a valid dataset name. Use letters, digits and hyphens: ORG/NAME or ORG/PROJECT.NAME.`,
    )
  return second === undefined ? { slug } : { projectSlug: first, slug }
}
