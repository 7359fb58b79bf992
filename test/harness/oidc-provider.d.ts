/** Types of the OpenID provider, which ships without any, as far as tests use them. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http"

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
  }
}
