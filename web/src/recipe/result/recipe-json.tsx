import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'

interface RecipeJsonProps {
  /** The recipe, or the request with all sources. */
  value: object
  open: boolean
  onClose(): void
}

export function RecipeJson({ value, open, onClose }: RecipeJsonProps) {
  const text = JSON.stringify(value, null, 2)
  return (
    <Dialog title="The recipe as the API takes it" open={open} onClose={onClose} wide>
      <pre className="code max-height-half">{text}</pre>
      <div className="above-8">
        <CopyButton text={text}>Copy</CopyButton>
      </div>
    </Dialog>
  )
}
