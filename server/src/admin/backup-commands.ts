import type { AdminCommand } from './commands.ts'

export const backup: AdminCommand = {
  name: ['backup'],
  positionals: ['FILE'],
  options: { objects: { type: 'boolean', default: false } },
  optionUsage: ['[--objects]'],
  about: 'Write the database and the list of objects, with --objects also the objects, into one tar file.',
  async run() {
    throw new Error('being written')
  },
}

export const restore: AdminCommand = { ...backup, name: ['restore'], about: 'Restore into an empty database.' }
