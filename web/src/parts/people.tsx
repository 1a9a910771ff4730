import { Select } from './select.tsx'

interface RoleSelectProps<R extends string> {
  label: string
  value: R
  roles: readonly R[]
  disabled?: boolean
  onChange(role: R): void
}

export const RoleSelect = <R extends string>({ roles, ...rest }: RoleSelectProps<R>) => (
  <Select className="width-112" options={roles.map((role) => ({ value: role, label: role }))} {...rest} />
)
