import type { Recipe } from '../data/recipe-draft.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'

export function RecipeJson({ recipe, open, onClose }: { recipe: Recipe; open: boolean; onClose(): void }) {
  const text = JSON.stringify(recipe, null, 2)
  return (
    <Dialog title="The recipe as the API takes it" open={open} onClose={onClose} wide>
      <pre className="code max-height-half">{text}</pre>
      <div className="above-8">
        <CopyButton text={text}>Copy</CopyButton>
      </div>
    </Dialog>
  )
}
