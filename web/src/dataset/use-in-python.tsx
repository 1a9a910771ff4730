import type { Manifest } from '../data/dataset.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { LoadInPython } from '../parts/load-in-python.tsx'
import { downloadLine } from '../parts/snippets.ts'

interface UseInPythonProps {
  dataset: Manifest
  open: boolean
  onClose(): void
}

export function UseInPython({ dataset, open, onClose }: UseInPythonProps) {
  const download = downloadLine(dataset.id)
  return (
    <Dialog title="Use in Python" open={open} onClose={onClose} wide>
      <p className="mid below-8">It is a LeRobot v3.0 dataset. lerobot loads it from here just as from the Hub:</p>
      <div className="below-16">
        <LoadInPython
          org={dataset.org_slug}
          project={dataset.project_slug}
          slug={dataset.slug}
          isPublic={dataset.visibility === 'public'}
        />
      </div>
      <p className="mid below-8">Or download the files with the command line:</p>
      <pre className="code">{download}</pre>
      <div className="row above-8">
        <CopyButton text={download} small>
          Copy
        </CopyButton>
      </div>
    </Dialog>
  )
}
