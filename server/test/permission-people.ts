import { randomUUID } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import { scopes } from '../src/access/scopes.ts'
import { getSigningKeys } from '../src/identity/signing-keys.ts'
import type { User } from '../src/identity/users/service.ts'
import { putProjectMember } from '../src/organizations/members/service.ts'
import { createProject } from '../src/organizations/projects/service.ts'
import { addOrgMember, createOrg } from '../src/organizations/service.ts'
import type { TestProgram } from './program.ts'

/** An organization with a project, and everybody whom the tables of permissions name. */
export interface People {
  org: { id: string; slug: string }
  project: { id: string; slug: string }
  admin: User
  bearers: Record<string, string | undefined>
}

export async function addPeople(program: TestProgram): Promise<People> {
  const name = randomUUID().slice(0, 8)
  const { db } = program.context
  const person = (who: string) => program.addUser(`${who}-${name}@example.org`)
  const admin = await person('admin')
  const org = await createOrg(db, 'operator', { slug: `org-${name}`, name, adminUserId: admin.id })
  const project = await createProject(db, 'operator', { orgId: org.id, slug: 'lab', name: 'Lab' })
  const other = await person('other')
  const elsewhere = await createOrg(db, 'operator', { slug: `elsewhere-${name}`, name, adminUserId: other.id })
  await addOrgMember(db, elsewhere.id, (await person('colleague')).id, 'member')
  const bearers: People['bearers'] = {
    anon: undefined,
    bad: `nmp_${'a'.repeat(36)}`,
    old: await forge(program, admin, { expiresIn: '-2m' }),
    aud: await forge(program, admin, { audience: 'urn:somebody:else' }),
    weak: await program.makeToken(admin, ['exports:write']),
    read: await program.makeToken(admin, ['workspace:read']),
    push: await program.makeToken(admin, ['imports:write']),
    pat: await program.makeToken(admin, scopes),
    oadm: await program.signIn(admin),
    other: await program.signIn(other),
  }
  for (const [key, role] of [
    ['view', 'viewer'],
    ['edit', 'editor'],
    ['padm', 'admin'],
  ] as const) {
    const user = await person(role === 'admin' ? 'lead' : role)
    await addOrgMember(db, org.id, user.id, 'member')
    await putProjectMember(db, 'operator', { orgId: org.id, projectId: project.id }, user.id, role)
    bearers[key] = await program.signIn(user)
  }
  return { org, project, admin, bearers }
}

/** A token signed with the program's own key that is right in everything but one thing. */
async function forge(
  program: TestProgram,
  user: User,
  { expiresIn = '5m', audience = 'urn:nmp:api' },
): Promise<string> {
  const [key] = await getSigningKeys(program.context.db, program.context.secrets)
  return new SignJWT({ email: user.email, email_verified: true, sid: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: 'at+jwt' })
    .setIssuer(`${program.url}/oidc`)
    .setAudience(audience)
    .setSubject(user.id)
    .setIssuedAt(Math.floor(Date.now() / 1000) - 300)
    .setExpirationTime(expiresIn)
    .sign(await importJWK(key, 'ES256'))
}
