/**
 * `sheets`: folder in memory for pages to print. `holders`: keys of holders, or files of them. `approvals`: files. `fetcherSeed`,
 * `authProxyKey`: files; undefined: the process is left out. `sealsAuthority`: the key of the certificate authority is sealed too.
 */
export type CeremonyCommand = {
  shares: number
  threshold: number
  usesPassphrase: boolean
  usesCommand: boolean
  sheets: string | undefined
  holders: readonly string[]
  approvesSetupCodes: boolean
  approvals: readonly string[]
  fetcherSeed: string | undefined
  authProxyKey: string | undefined
  sealsAuthority: boolean
}
