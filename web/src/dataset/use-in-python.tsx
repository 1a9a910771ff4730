import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import type { Manifest } from './queries.ts'

interface UseInPythonProps {
  dataset: Manifest
  open: boolean
  onClose(): void
}

export function UseInPython({ dataset, open, onClose }: UseInPythonProps) {
  const secret = dataset.visibility === 'public' ? '' : 'HF_TOKEN=nmp_… '
  const hub = `HF_ENDPOINT=${location.origin}/hf ${secret}python -c "
from lerobot.datasets.lerobot_dataset import LeRobotDataset
dataset = LeRobotDataset('${dataset.org_slug}/${dataset.slug}')
print(dataset[0].keys())"`
  const download = `nmp datasets download ${dataset.org_slug}/${dataset.project_slug}/${dataset.slug}`
  return (
    <Dialog title="Use in Python" open={open} onClose={onClose} wide>
      <p className="mid mb-2">It is a LeRobot v3.0 dataset. lerobot loads it from here as from the Hub:</p>
      <pre className="code">{hub}</pre>
      <div className="row mt-2 mb-4">
        <CopyButton text={hub} small>
          Copy
        </CopyButton>
        {dataset.visibility === 'private' && (
          <span className="dim sm">A private dataset needs a token with workspace:read (Settings, Tokens).</span>
        )}
      </div>
      <p className="mid mb-2">Or take the files with the command line:</p>
      <pre className="code">{download}</pre>
      <div className="row mt-2">
        <CopyButton text={download} small>
          Copy
        </CopyButton>
      </div>
    </Dialog>
  )
}
