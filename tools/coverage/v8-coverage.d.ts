declare module '@bcoe/v8-coverage' {
  import type { Profiler } from 'node:inspector'

  type Covered = Pick<Profiler.ScriptCoverage, 'scriptId' | 'url' | 'functions'>
  export function mergeScriptCovs(scripts: readonly Covered[]): Covered | undefined
}
