import { ServiceError } from '../errors.ts'

const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * `PROJECT.SLUG`, or `SLUG` alone. Robot people write `pick_cube`: capitals and underscores are read as the slug they stand for, on
 * reading and on pushing alike.
 */
export function readName(name: string): { projectSlug?: string; slug: string } {
  const [first = '', second, ...rest] = name.toLowerCase().replaceAll('_', '-').split('.')
  const slug = second ?? first
  const parts = second === undefined ? [slug] : [first, slug]
  if (rest.length > 0 || !parts.every((part) => part.length <= 100 && slugForm.test(part)))
    throw new ServiceError(
      'malformed_request',
      `${JSON.stringify(name.slice(0, 100))} is not a valid dataset name. Use letters, digits and hyphens: ORG/NAME or ORG/PROJECT.NAME.`,
    )
  return second === undefined ? { slug } : { projectSlug: first, slug }
}
