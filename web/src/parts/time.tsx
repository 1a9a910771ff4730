import { useEffect, useState } from 'react'

/** Relative, with the exact time on hover; a date after seven days. */
export function Time({ at }: { at: string | null | undefined }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 30_000)
    return () => clearInterval(timer)
  }, [])
  if (!at) return <span>–</span>
  return (
    <time dateTime={at} title={at.replace('T', ' ').replace(/\.\d+/, '')}>
      {formatRelative(new Date(at))}
    </time>
  )
}

export function formatRelative(at: Date, now = Date.now()): string {
  const seconds = (now - at.getTime()) / 1000
  const ahead = seconds < 0
  const distance = Math.abs(seconds)
  const say = (text: string) => (ahead ? `in ${text}` : `${text} ago`)
  if (distance < 45) return ahead ? 'in a moment' : 'just now'
  if (distance < 3600) return say(`${Math.max(1, Math.round(distance / 60))} min`)
  if (distance < 86_400) return say(`${Math.round(distance / 3600)} h`)
  if (distance < 7 * 86_400 || ahead) return say(`${Math.round(distance / 86_400)} days`.replace(/^1 days/, '1 day'))
  const year = at.getUTCFullYear() === new Date(now).getUTCFullYear() ? undefined : ('numeric' as const)
  return at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...(year ? { year } : {}) })
}
