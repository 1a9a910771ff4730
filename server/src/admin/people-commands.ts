import { proveEmail } from '../access/proven-email.ts'
import { orgRoles, projectRoles } from '../access/roles.ts'
import { recordAudit } from '../audit/service.ts'
import { inTransaction } from '../db/database.ts'
import { findPublicUrl } from '../db/settings.ts'
import { createLocalAccount } from '../identity/local-accounts.ts'
import { resetSecondStep } from '../identity/second-step/service.ts'
import { signOperatorSession } from '../identity/sessions.ts'
import { rotateSigningKeys } from '../identity/signing-keys.ts'
import { revokeTokenAsOperator } from '../identity/tokens/service.ts'
import { createUser, findUserByEmail, type User } from '../identity/users/service.ts'
import { createMailLink } from '../organizations/invites/service.ts'
import { putProjectMember } from '../organizations/members/service.ts'
import { createProject } from '../organizations/projects/service.ts'
import { addOrgMember, createOrg, findOrgBySlug } from '../organizations/service.ts'
import { openSecrets } from '../secrets/secrets.ts'
import type { AdminCommand, AdminContext } from './command.ts'

export const addUser: AdminCommand = {
  name: ['user', 'add'],
  positionals: ['EMAIL'],
  options: {
    name: { type: 'string' },
    password: { type: 'string' },
    org: { type: 'string' },
    'org-role': { type: 'string', default: 'member' },
  },
  optionUsage: ['[--name N]', '[--password P]', '[--org SLUG --org-role admin|member]'],
  about: 'Create an account with its own organization and project; with --org also add it to that organization.',
  async run({ db }, [email = ''], { name, password, org, 'org-role': role }) {
    checkEmail(email)
    return inTransaction(db, async (trx) => {
      const user = await createUser(trx, 'operator', { email, displayName: text(name) ?? '' })
      await createLocalAccount(trx, user.id, text(password))
      const slug = text(org)
      if (slug) {
        const found = await getOrg(trx, slug)
        await addOrgMember(trx, found.id, user.id, choose(orgRoles, text(role), '--org-role'))
        await recordAudit(trx, 'operator', {
          action: 'member.add',
          resource: { kind: 'user', id: user.id },
          orgId: found.id,
          detail: { role },
        })
      }
      return user.id
    })
  },
}

export const proveUser: AdminCommand = {
  name: ['user', 'prove'],
  positionals: ['EMAIL'],
  options: {},
  optionUsage: [],
  about: 'Vouch that the e-mail of an account belongs to whoever uses it, so that it can take invites.',
  async run({ db }, [email = '']) {
    return inTransaction(db, async (trx) => {
      const user = await getUser({ db: trx }, email)
      await proveEmail(trx, user.id)
      await recordAudit(trx, 'operator', { action: 'user.prove', resource: { kind: 'user', id: user.id } })
      return user.id
    })
  },
}

export const resetTwoStep: AdminCommand = {
  name: ['user', 'reset-two-step'],
  positionals: ['EMAIL'],
  options: {},
  optionUsage: [],
  about:
    'Turn two-step sign-in off for an account whose person has lost app, passkeys and recovery codes: all of them are removed.',
  async run({ db }, [email = '']) {
    const user = await getUser({ db }, email)
    await resetSecondStep(db, user.id)
    return user.id
  },
}

export const printInviteLink: AdminCommand = {
  name: ['invite-link'],
  positionals: ['ORG', 'EMAIL'],
  options: {},
  optionUsage: [],
  about: 'Print the link of an open invite with which its person makes an account, in the place of the mailed one.',
  async run({ db, config }, [orgSlug = '', email = '']) {
    const publicUrl = await getPublicUrl({ db, config })
    return publicUrl + (await createMailLink(db, await getOrg(db, orgSlug), email))
  },
}

export const printSession: AdminCommand = {
  name: ['session'],
  positionals: ['EMAIL'],
  options: { minutes: { type: 'string', default: '60' } },
  optionUsage: ['[--minutes 60]'],
  about: 'Print a session token for an account.',
  async run({ db, config }, [email = ''], { minutes }) {
    const user = await getUser({ db }, email)
    const publicUrl = await getPublicUrl({ db, config })
    const token = await signOperatorSession({
      db,
      secrets: await openSecrets(db, config),
      publicUrl,
      userId: user.id,
      email: user.email,
      minutes: Number(minutes),
    })
    await recordAudit(db, 'operator', { action: 'session.create', resource: { kind: 'user', id: user.id } })
    return token
  },
}

export const addOrg: AdminCommand = {
  name: ['org', 'add'],
  positionals: ['SLUG'],
  options: { name: { type: 'string' } },
  optionUsage: ['[--name N]'],
  about: 'Create an organization.',
  async run({ db }, [slug = ''], { name }) {
    checkSlug(slug)
    return (await createOrg(db, 'operator', { slug, name: text(name) ?? slug })).id
  },
}

export const addProject: AdminCommand = {
  name: ['project', 'add'],
  positionals: ['ORG/SLUG'],
  options: { name: { type: 'string' }, member: { type: 'string', multiple: true } },
  optionUsage: ['[--name N]', '[--member EMAIL:ROLE]…'],
  about: 'Create a project and give members of the organization a role in it.',
  async run({ db }, [path = ''], { name, member }) {
    const [orgSlug = '', slug = '', more] = path.split('/')
    if (more !== undefined) throw new Error(`${path}: ORG/SLUG expected.`)
    checkSlug(slug)
    return inTransaction(db, async (trx) => {
      const org = await getOrg(trx, orgSlug)
      const project = await createProject(trx, 'operator', { orgId: org.id, slug, name: text(name) ?? slug })
      for (const entry of Array.isArray(member) ? member.map(String) : []) {
        const at = entry.lastIndexOf(':')
        const user = await getUser({ db: trx }, entry.slice(0, at))
        const role = choose(projectRoles, entry.slice(at + 1), '--member')
        await putProjectMember(trx, 'operator', { orgId: org.id, projectId: project.id }, user.id, role)
      }
      return project.id
    })
  },
}

export const revoke: AdminCommand = {
  name: ['token', 'revoke'],
  positionals: ['ID'],
  options: {},
  optionUsage: [],
  about: 'Revoke a personal access token by its id (tok_…).',
  async run({ db }, [id = '']) {
    const token = await revokeTokenAsOperator(db, id)
    return `revoked ${token.id} (${token.prefix}…${token.suffix})`
  },
}

export const rotateKeys: AdminCommand = {
  name: ['keys', 'rotate'],
  positionals: [],
  options: { 'drop-old': { type: 'boolean', default: false } },
  optionUsage: ['[--drop-old]'],
  about: 'Sign sessions with a new key. --drop-old ends every session, for a key that has leaked.',
  async run({ db, config }, _positionals, { 'drop-old': dropOld }) {
    const { kid } = await rotateSigningKeys(db, await openSecrets(db, config), { dropOld: dropOld === true })
    await recordAudit(db, 'operator', { action: 'keys.rotate', resource: { kind: 'signing_key', id: kid } })
    return kid
  },
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function checkEmail(email: string): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 320)
    throw new Error(`${JSON.stringify(email)} is not an e-mail address.`)
}

function checkSlug(slug: string): void {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) || slug.length > 100)
    throw new Error(
      `${JSON.stringify(slug)} is not a slug: use lower-case letters and digits, joined by single hyphens, at most 100 characters.`,
    )
}

function choose<T extends string>(values: readonly T[], given: string | undefined, option: string): T {
  const found = values.find((value) => value === given)
  if (found === undefined) throw new Error(`${option}: one of ${values.join(', ')} expected, got ${given}.`)
  return found
}

async function getUser({ db }: Pick<AdminContext, 'db'>, email: string): Promise<User> {
  const user = await findUserByEmail(db, email)
  if (!user) throw new Error(`There is no account with the e-mail ${email}.`)
  return user
}

async function getPublicUrl({ db, config }: Pick<AdminContext, 'db' | 'config'>): Promise<string> {
  const publicUrl = config.NMP_PUBLIC_URL ?? (await findPublicUrl(db))
  if (!publicUrl) throw new Error('No server has run on this database yet. Start one first, or set NMP_PUBLIC_URL.')
  return publicUrl
}

async function getOrg(db: AdminContext['db'], slug: string) {
  const org = await findOrgBySlug(db, slug)
  if (!org) throw new Error(`There is no organization ${slug}. Create it: npm run -s admin -- org add ${slug}`)
  return org
}
