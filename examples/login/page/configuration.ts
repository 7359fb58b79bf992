/** Addresses, ids and keys of the deployment that the page uses. */
export type PageConfiguration = {
  apiUrl: string
  authProxyUrl: string
  authProxyConfigId: string
  /** Organization whose sub-organizations the users' are. */
  organizationId: string
  issuer: string
}
