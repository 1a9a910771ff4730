import type { ReactNode } from 'react'

interface TableScrollProps {
  label: string
  children: ReactNode
  className?: string
}

/** A table that may be wider than the window: it scrolls by itself, with the keyboard too. */
export const TableScroll = ({ label, children, className = '' }: TableScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
  <section className={`table-scroll ${className}`} tabIndex={0} aria-label={label}>
    {children}
  </section>
)
