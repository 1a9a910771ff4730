import { useEffect, useState } from 'react'
import { Button } from './controls.tsx'

interface CopyProps {
  text: string
  children: string
  look?: 'default' | 'primary' | 'ghost'
  small?: boolean
  icon?: 'copy' | 'link'
}

export function CopyButton({ text, children, look = 'default', small = false, icon = 'copy' }: CopyProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <Button
      look={look}
      small={small}
      icon={copied ? 'check' : icon}
      onClick={() => {
        void copyText(text).then(() => setCopied(true))
      }}
    >
      <span aria-live="polite">{copied ? 'Copied' : children}</span>
    </Button>
  )
}

/** The clipboard needs https; a plain http console copies the old way. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
