interface RoleSelectProps<R extends string> {
  label: string
  value: R
  roles: readonly R[]
  disabled?: boolean
  onChange(role: R): void
}

export function RoleSelect<R extends string>({ label, value, roles, disabled = false, onChange }: RoleSelectProps<R>) {
  return (
    <span className="field inline-flex" style={{ width: 110, height: 26 }}>
      <select
        aria-label={label}
        value={value}
        disabled={disabled}
        onChange={(event) => {
          const role = roles.find((one) => one === event.target.value)
          if (role) onChange(role)
        }}
      >
        {roles.map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </select>
    </span>
  )
}
