/** Why a video element gave up: it says the same of a lost network, an address that has ended and a codec it does not know. */
export type VideoFault = 'network' | 'ended' | 'damaged' | 'server' | 'format'

/** The first two bytes are asked for once more, since the answer tells what the element keeps to itself. */
export async function findVideoFault(url: string): Promise<VideoFault> {
  const answer = await fetch(url, { headers: { range: 'bytes=0-1' } }).catch(() => undefined)
  if (answer === undefined) return 'network'
  if (answer.ok) {
    await answer.body?.cancel()
    return 'format'
  }
  if ([401, 403, 404, 410].includes(answer.status)) return 'ended'
  const { code } = (await answer.json().catch(() => ({}))) as { code?: string }
  return code === 'content_damaged' ? 'damaged' : 'server'
}

export const videoFaultWords: Record<VideoFault, string> = {
  network: 'The video did not arrive: the network or the server cannot be reached.',
  ended: 'The address of this video has ended.',
  damaged: 'The stored video is damaged; the operator of this server has been told.',
  server: 'The server could not send the video.',
  format: 'This browser cannot play the video; the posters still show every frame.',
}
