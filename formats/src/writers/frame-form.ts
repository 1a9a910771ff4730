/** What a target makes of a colour picture, as small as what is seen allows: nobody knows its size before. */
export type FrameForm = PictureForm | { readonly as: 'h264' }

/** Every picture by itself. */
export type PictureForm =
  | { readonly as: 'jpeg' | 'png' | 'zstd' | 'gzip' }
  | { readonly as: 'jpegxl'; readonly quality: number }
