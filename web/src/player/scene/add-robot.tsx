import { useRef, useState } from 'react'
import type { Manifest } from '../../data/dataset.ts'
import { refresh } from '../../data/refresh.ts'
import { addRobot, deleteRobot, fetchNamedRobot, isWebAddress, putRobotChoice, type Robot } from '../../data/robots.ts'
import { Button } from '../../parts/controls.tsx'
import { ConfirmLoss } from '../../parts/dialog.tsx'
import { Select } from '../../parts/select.tsx'
import { useChange } from '../../parts/use-change.ts'

interface AddRobotProps {
  dataset: Manifest
  robots: readonly Robot[]
  robot: Robot | undefined
}

/** Which model of the project the dataset has, one more, or one less. */
export function AddRobot({ dataset, robots, robot }: AddRobotProps) {
  const picker = useRef<HTMLInputElement>(null)
  const [isLeaving, setLeaving] = useState(false)
  const renew = () => Promise.all([refresh.robots(), refresh.robotChoice(dataset.id)])
  const choose = useChange((id: string | null) => putRobotChoice(dataset, { robot_id: id, joints: [] }), {
    onDone: renew,
  })
  const add = useChange(
    async (file: File) => {
      const type = dataset.robot_type?.slice(0, 100)
      const isFree = type && !robots.some(({ name }) => name.toLowerCase() === type.toLowerCase())
      const made = await addRobot(dataset, isFree ? type : file.name.replace(/\.\w+$/, '').slice(0, 100), file)
      if (!isFree) await putRobotChoice(dataset, { robot_id: made.id, joints: [] })
    },
    { onDone: renew },
  )
  const fetchNamed = useChange(() => fetchNamedRobot(dataset), { onDone: renew })
  return (
    <div className="row wrap above-8">
      {!robot && isWebAddress(dataset.robot_description_uri) && (
        <Button
          small
          look="primary"
          icon="download"
          disabled={fetchNamed.isPending}
          onClick={() => fetchNamed.mutate()}
        >
          {fetchNamed.isPending ? 'Fetching the model' : 'Use the model this dataset names'}
        </Button>
      )}
      {robots.length > 0 && (
        <Select
          label="Robot model"
          value={robot?.id ?? ''}
          disabled={choose.isPending}
          onChange={(id) => choose.mutate(id || null)}
          options={[
            { value: '', label: 'the one called as the robot' },
            ...robots.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <Button small icon="upload" disabled={add.isPending} onClick={() => picker.current?.click()}>
        {add.isPending ? 'Uploading' : 'Upload a URDF or a zip of one'}
      </Button>
      {robot && (
        <Button small look="ghost" onClick={() => setLeaving(true)}>
          Delete the model
        </Button>
      )}
      <input
        ref={picker}
        type="file"
        hidden
        accept=".urdf,.xml,.zip"
        aria-label="URDF or zip to upload"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file) add.mutate(file)
        }}
      />
      {robot && (
        <ConfirmLoss
          title={`Delete the model ${robot.name}?`}
          word={robot.name}
          verb="Delete the model"
          open={isLeaving}
          onClose={() => setLeaving(false)}
          onConfirm={async () => {
            await deleteRobot(dataset, robot)
            await renew()
          }}
        >
          Every dataset of the project that has it is drawn without one.
        </ConfirmLoss>
      )}
    </div>
  )
}
