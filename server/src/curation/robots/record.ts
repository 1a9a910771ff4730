import { Type } from 'typebox'
import { nullable, oneOf, timestamp } from '../../http/schemas.ts'
import { robotKinds } from '../tables.ts'
import type { Robot } from './service.ts'

export const robot = Type.Object(
  {
    id: Type.String(),
    name: Type.String({
      description: 'A dataset whose `robot_type` this is has this model, unless another is chosen.',
    }),
    file_name: Type.String(),
    kind: oneOf(robotKinds),
    size_bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String(),
    created_by: nullable(Type.String()),
    created_at: timestamp,
  },
  { $id: 'Robot' },
)

export const presentRobot = (row: Robot) => ({
  id: row.id,
  name: row.name,
  file_name: row.fileName,
  kind: row.kind,
  size_bytes: row.sizeBytes,
  sha256: row.sha256,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
})
