/** As much as tests use of the OpenID provider, which ships without types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http"

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
  }
}
