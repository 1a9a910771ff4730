import { type Static, Type } from 'typebox'
import { contractRequires, oneOf } from '../../http/schemas.ts'

export const previewAsset = Type.Object(
  {
    kind: oneOf([
      'image_preview',
      'video_preview',
      'video_mp4',
      'video_webm',
      'timeseries_parquet',
      'timeseries_arrow',
    ]),
    path: Type.String({ description: 'Its last part is the `name` for `getImportPreviewUrl`.' }),
    label: Type.String(),
    content_type: oneOf([
      'image/png',
      'video/mp4',
      'video/webm',
      'application/vnd.apache.parquet',
      'application/vnd.apache.arrow.file',
    ]),
    size_bytes: Type.Integer({ exclusiveMinimum: 0 }),
    sha256: Type.String(),
    metadata: Type.Record(Type.String(), Type.Unknown()),
  },
  {
    $id: 'WorkspaceImportPreviewAsset',
    additionalProperties: true,
    ...contractRequires(['kind', 'path', 'label', 'content_type', 'size_bytes', 'sha256']),
  },
)
export type PreviewAsset = Static<typeof previewAsset>
