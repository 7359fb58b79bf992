import { hash } from "node:crypto"
import { create, toBinary } from "@bufbuild/protobuf"
import { Oauth2ExchangeTaskSchema } from "../../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { foreignSecret } from "../../../../core/fetch-orders/order.ts"
import { refuse } from "../../../../core/refusal.ts"
import type { ClientSecrets, CodeToExchange, Oauth2 } from "../../../activities/powers/fetched.ts"
import { invalid } from "../../../execution/workspace/supplied-statements.ts"
import type { FactKind } from "../../../execution/state/fact-kind.ts"
import type { FetchedFacts } from "../../../execution/workspace/fetched-facts.ts"

/** The ID token for a code of an OAuth 2.0 provider. */
export const EXCHANGED_CODE: FactKind<"oauth2Exchange", "oauth2Exchanged", string> = {
  task: "oauth2Exchange",
  finding: "oauth2Exchanged",
  subject: exchangeSubject,
  read: (_task, { oidcToken }) => oidcToken,
  isStored: false,
}

/** A client secret that opens: the organization that it is bound to, "" if to none. */
export const OPENED_SECRET: FactKind<"clientSecret", "clientSecret", string> = {
  task: "clientSecret",
  finding: "clientSecret",
  subject: ({ sealedSecret }) => hash("sha256", sealedSecret, "hex"),
  read({ sealedSecret }, { sealedSecretDigest, boundOrganizationId }) {
    const isAboutIt = hash("sha256", sealedSecret, "buffer").equals(sealedSecretDigest)
    if (!isAboutIt) throw invalid("it is about another secret")
    return boundOrganizationId
  },
  isStored: false,
}

export function oauth2Of(facts: FetchedFacts): Oauth2 {
  const { oidcIssuer } = facts.deps
  const issuer = () => {
    if (oidcIssuer === undefined) throw noIssuer()
    return oidcIssuer
  }
  return {
    issuer,
    exchange(code) {
      const task = { ...code, issuer: issuer() }
      return facts.require(EXCHANGED_CODE, exchangeSubject(task), () => task)
    },
  }
}

export function clientSecretsOf(facts: FetchedFacts): ClientSecrets {
  return {
    requireOpens(sealedSecret) {
      const subject = hash("sha256", sealedSecret, "hex")
      const boundTo = facts.require(OPENED_SECRET, subject, () => ({ sealedSecret }))
      if (boundTo !== "" && boundTo !== facts.source.request.organizationId) throw foreignSecret()
    },
  }
}

/** Digest of all parameters of the order for an exchange. */
function exchangeSubject(code: CodeToExchange & { issuer: string }): string {
  const task = create(Oauth2ExchangeTaskSchema, { ...code })
  return hash("sha256", toBinary(Oauth2ExchangeTaskSchema, task), "hex")
}

/** The operator has switched the service's own ID tokens off. */
function noIssuer() {
  const sentence =
    "this service issues no ID tokens for users of OAuth 2.0 providers: the operator sets COUNTERSIGN_SIGNER_OIDC_ISSUER"
  return refuse("OAUTH2_ISSUER_UNCONFIGURED", sentence)
}
