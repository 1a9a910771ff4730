import { useEffect, useRef } from 'react'

export type KeyMap = Record<string, (event: KeyboardEvent) => void>

/** Of everything on the screen that listens, in the order in which it began to. */
const layers: { readonly current: KeyMap }[] = []

/**
 * Single keys of a page. Names are `event.key`, with `mod+` for Control or Command and `shift+` for named keys.
 * Where two want the same key, the one that came last has it: the tray's R before the page's.
 * They are off while a field has the focus or a dialog is open.
 */
export function useKeys(map: KeyMap, enabled = true): void {
  const current = useRef(map)
  current.current = map
  useEffect(() => {
    if (!enabled) return
    if (layers.length === 0) window.addEventListener('keydown', onKey)
    layers.push(current)
    return () => {
      layers.splice(layers.indexOf(current), 1)
      if (layers.length === 0) window.removeEventListener('keydown', onKey)
    }
  }, [enabled])
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return
  const name = nameKey(event)
  const handler = layers.findLast(({ current }) => current[name])?.current[name]
  if (!handler || isBusy(event)) return
  event.preventDefault()
  handler(event)
}

function nameKey(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  const mod = event.metaKey || event.ctrlKey ? 'mod+' : ''
  return `${mod}${event.shiftKey && (key.length > 1 || mod) ? 'shift+' : ''}${key}`
}

function isBusy(event: KeyboardEvent): boolean {
  if (document.querySelector('[role="dialog"],[role="menu"]')) return true
  const target = event.target instanceof HTMLElement ? event.target : undefined
  if (!target) return false
  if (event.metaKey || event.ctrlKey) return target.matches('textarea') && event.key !== 'Enter'
  if (target.matches('input:not([type=checkbox]):not([type=range]):not([type=radio]),textarea,select')) return true
  if (target.isContentEditable) return true
  // Space and Enter belong to the control that has the focus; arrows to sliders and radios.
  if (event.key === ' ' || event.key === 'Enter') return target.matches('button,a,summary,input,[role=treeitem]')
  return event.key.startsWith('Arrow') && target.matches('[role=slider],[role=radio],[role=treeitem],input[type=range]')
}
