import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useKeys } from '../session/keys.ts'
import { Button, IconButton } from './controls.tsx'
import { nameCommand } from './key-names.ts'

interface Toast {
  id: number
  message: ReactNode
  undo?: (() => void) | undefined
  isFault: boolean
}

let current: Toast | undefined
let lastId = 0
const listeners = new Set<() => void>()
const change = (next: Toast | undefined) => {
  current = next
  for (const listener of listeners) listener()
}

/** One at a time, bottom left; `undo` gives every action its way back. */
export function showToast(message: ReactNode, undo?: () => void): void {
  lastId++
  change({ id: lastId, message, undo, isFault: false })
}

export function showFault(message: string): void {
  lastId++
  change({ id: lastId, message, isFault: true })
}

const showSeconds = 8

/** Eight seconds, which stop while the pointer or the focus is on it. */
export function Toasts() {
  const toast = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
  const [held, setHeld] = useState(false)
  const left = useRef(0)
  useEffect(() => {
    left.current = toast ? showSeconds : 0
  }, [toast])
  useEffect(() => {
    if (!toast || held) return
    const timer = setInterval(() => {
      left.current -= 0.5
      if (left.current <= 0) change(undefined)
    }, 500)
    return () => clearInterval(timer)
  }, [toast, held])
  const undo = () => {
    toast?.undo?.()
    change(undefined)
  }
  useKeys({ 'mod+z': undo }, toast?.undo !== undefined)
  return (
    <div aria-live="polite">
      {toast && (
        // biome-ignore lint/a11y/noStaticElementInteractions: resting on it only stops its clock
        <div
          className="toast"
          role={toast.isFault ? 'alert' : 'status'}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          {toast.isFault ? (
            <span className="say fill">{toast.message}</span>
          ) : (
            <span className="fill">{toast.message}</span>
          )}
          {toast.undo && (
            <Button small shortcut={nameCommand('Z')} onClick={undo}>
              Undo
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" look="ghost" small onClick={() => change(undefined)} />
        </div>
      )}
    </div>
  )
}
