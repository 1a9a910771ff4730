import { type DragEvent, useEffect, useRef, useState } from 'react'
import { readDrop, type UploadFile } from '../parts/dropped-files.ts'
import { readRepoId } from './hub-source.tsx'

/** Files may be dropped anywhere on the page. */
export function useFileDrop(isOn: boolean, onFiles: (files: UploadFile[]) => void) {
  const [isOver, setOver] = useState(false)
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isOn || !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      },
      onDragLeave: (event: DragEvent) => {
        if (event.currentTarget === event.target) setOver(false)
      },
      onDrop: (event: DragEvent) => {
        if (!isOn) return
        event.preventDefault()
        setOver(false)
        void readDrop(event.dataTransfer).then(onFiles)
      },
    },
  }
}

/** A repository's address pasted anywhere on the page begins its import. */
export function usePastedRepository(isOn: boolean, onPaste: (repository: string) => void): void {
  const current = useRef(onPaste)
  current.current = onPaste
  useEffect(() => {
    if (!isOn) return
    const listen = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLElement && event.target.matches('input,textarea,[contenteditable]')) return
      const text = event.clipboardData?.getData('text').trim() ?? ''
      if (readRepoId(text)) current.current(text)
    }
    window.addEventListener('paste', listen)
    return () => window.removeEventListener('paste', listen)
  }, [isOn])
}
