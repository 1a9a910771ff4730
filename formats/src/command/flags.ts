export interface CommandFlags {
  readonly json: boolean
  readonly to: string
  readonly videoCodec: 'av1' | 'h264'
}
