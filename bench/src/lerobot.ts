import { join, resolve } from 'node:path'

/** Stock lerobot as `.ci/install-python` leaves it; absent where nobody ran that. */
export const python = resolve(process.env.NMP_CACHE_DIR ?? '.cache', 'python/lerobot-0.6.1/bin/python')

/** Asks nobody on the network and says little. */
export const offlineEnv = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  HF_HUB_OFFLINE: '1',
  HF_HOME: join(folder, 'hf'),
  PYTHONDONTWRITEBYTECODE: '1',
  SVT_LOG: '1',
})

/** And with torchcodec, which finds the FFmpeg that PyAV brings. */
export const torchcodecEnv = (folder: string): NodeJS.ProcessEnv => ({
  ...offlineEnv(folder),
  PYTHONPATH: resolve(python, '../../../torchcodec'),
  LD_LIBRARY_PATH: resolve(python, '../../../ffmpeg'),
})
