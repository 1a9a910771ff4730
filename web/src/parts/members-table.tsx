import type { ReactNode } from 'react'
import { RoleSelect } from './people.tsx'
import { TableScroll } from './table-scroll.tsx'
import { Time } from './time.tsx'

interface Member<R extends string> {
  user_id: string
  email: string
  display_name: string
  role: R
  created_at: string
}

interface MembersTableProps<R extends string, M extends Member<R>> {
  members: readonly M[]
  roles: readonly R[]
  /** May give roles. */
  canChange: boolean
  onRole(member: M, role: R): void
  /** At the end of a row: how somebody goes. */
  renderEnd(member: M): ReactNode
}

/** Who belongs to an organization or a project, as what. */
export const MembersTable = <R extends string, M extends Member<R>>(props: MembersTableProps<R, M>) => (
  <TableScroll label="Members">
    <table className="table stack above-4">
      <thead>
        <tr>
          <th>Person</th>
          <th>E-mail</th>
          <th>Role</th>
          <th>Since</th>
          <th>
            <span className="visually-hidden">Remove</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.members.map((member) => (
          <tr key={member.user_id}>
            <td>
              <b>{member.display_name || member.email.split('@')[0]}</b>
            </td>
            <td className="mid">{member.email}</td>
            <td>
              <RoleSelect
                label={`Role of ${member.email}`}
                value={member.role}
                roles={props.roles}
                disabled={!props.canChange}
                onChange={(role) => props.onRole(member, role)}
              />
            </td>
            <td className="mid">
              <Time at={member.created_at} />
            </td>
            <td className="align-right">{props.renderEnd(member)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)
