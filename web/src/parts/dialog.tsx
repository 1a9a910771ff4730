import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { Button, Field, IconButton } from './controls.tsx'
import { useChange } from './use-change.ts'

interface DialogProps {
  title: string
  open: boolean
  onClose(): void
  children: ReactNode
  wide?: boolean
  /** From the bottom edge, for small screens. */
  sheet?: 'part' | 'full' | undefined
}

export const Dialog = ({ title, open, onClose, children, wide, sheet }: DialogProps) => (
  <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
    <Radix.Portal>
      <Radix.Overlay className="veil" />
      <Radix.Content
        className={sheet ? `sheet ${sheet === 'full' ? 'full' : ''}` : `dialog ${wide ? 'wide' : ''}`}
        aria-describedby={undefined}
      >
        <div className="row below-12">
          <Radix.Title asChild>
            <h2 className="title">{title}</h2>
          </Radix.Title>
          <span className="end">
            <IconButton icon="close" label="Close" look="ghost" small onClick={onClose} />
          </span>
        </div>
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
)

interface ConfirmProps {
  title: string
  /** What is lost, and what not. */
  children: ReactNode
  /** What must be typed. */
  word: string
  verb: string
  open: boolean
  onClose(): void
  onConfirm(): Promise<unknown>
}

/** Only loss is confirmed, and by typing. */
export function ConfirmLoss({ title, children, word, verb, open, onClose, onConfirm }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const loss = useChange(onConfirm, {
    showsFault: true,
    onDone: () => {
      setTyped('')
      onClose()
    },
  })
  return (
    <Dialog title={title} open={open} onClose={onClose}>
      <div className="mid below-12">{children}</div>
      <form
        className="row items-start"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed === word) loss.mutate()
        }}
      >
        <Field
          label={`Type ${word} to ${verb.toLowerCase()} it`}
          className="fill"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          fault={loss.error?.message}
          autoFocus
          spellCheck={false}
          autoComplete="off"
        />
        <Button type="submit" look="danger" disabled={typed !== word || loss.isPending}>
          {verb}
        </Button>
      </form>
      <p className="small dim above-8">
        Type <span className="mono">{word}</span> to {verb.toLowerCase()} it.
      </p>
    </Dialog>
  )
}
