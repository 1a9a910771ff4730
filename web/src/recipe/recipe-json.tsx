import type { Recipe } from '../data/recipe-draft.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'

export function RecipeJson({ recipe, open, onClose }: { recipe: Recipe; open: boolean; onClose(): void }) {
  const text = JSON.stringify(recipe, null, 2)
  return (
    <Dialog title="The recipe as the API takes it" open={open} onClose={onClose} wide>
      <pre className="code" style={{ maxHeight: '50vh' }}>
        {text}
      </pre>
      <div className="mt-2">
        <CopyButton text={text}>Copy</CopyButton>
      </div>
    </Dialog>
  )
}
