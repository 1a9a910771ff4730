export const consoleClientId = 'nmp-console'
export const cliClientId = 'nmp-cli'
export const operatorClientId = 'nmp-admin'

export const programs = ['console', 'command_line', 'operator', 'other'] as const
type Program = (typeof programs)[number]

/** What a session was signed in by. An external issuer may know the console under a name of its own. */
export function nameProgram(clientId: string | null, configuredConsole: string): Program {
  if (clientId === consoleClientId || clientId === configuredConsole) return 'console'
  if (clientId === cliClientId) return 'command_line'
  return clientId === operatorClientId ? 'operator' : 'other'
}
