import { Field } from './controls.tsx'

const slugForm = /^[a-z0-9]+(-[a-z0-9]+)*$/

export const isSlug = (text: string): boolean => slugForm.test(text)

interface SlugFieldProps {
  value: string
  fault: string | undefined
  onChange(value: string): void
}

/** The name by which programs ask for the dataset. */
export const SlugField = ({ value, fault, onChange }: SlugFieldProps) => (
  <Field
    label="Short name (an existing one gets a new revision)"
    showLabel
    value={value}
    maxLength={100}
    pattern="[a-z0-9]+(-[a-z0-9]+)*"
    onChange={(event) => onChange(event.target.value)}
    fault={value && !isSlug(value) ? 'Lower-case letters, digits and single hyphens.' : fault}
  />
)
