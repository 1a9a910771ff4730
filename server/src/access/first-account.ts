import type { Config } from '../config.ts'

/** Of the account that the program makes for whoever runs it, on an empty database. Nobody receives mail there, so nobody else gets it. */
export const firstEmail = 'admin@localhost'

/** The person who runs the program, and could read its folder as well. */
export const isFirstAccount = (config: Pick<Config, 'NMP_OIDC_ISSUER'>, { email }: { email: string }): boolean =>
  config.NMP_OIDC_ISSUER === undefined && email === firstEmail
