import { useEffect, useState } from 'react'

const settleMs = 150

/** A value that has stood still for a moment: what is dragged or typed is asked for once. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
