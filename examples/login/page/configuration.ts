/** What the page must know about the deployment. */
export type Configuration = {
  apiUrl: string
  authProxyUrl: string
  authProxyConfigId: string
  /** Organization whose sub-organizations the users' are. */
  organizationId: string
  issuer: string
}
