const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** A key pressed with Command on a Mac and with Control elsewhere, as it is written there. */
export const nameCommand = (key: string): string => (isMac ? `⌘${key}` : `Ctrl ${key}`)
