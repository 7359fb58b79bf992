import { validUntil } from "../../../core/fetch-orders/order.ts"
import { ownIssuerKey } from "../../../core/oidc/issued-token.ts"
import { openIssuerKey, type VerificationKey } from "../../../core/oidc/keys.ts"
import type { Issuers } from "../../activities/powers/fetched.ts"
import { requireFetcherKey } from "../state/fetcher-key.ts"
import { invalid } from "./supplied-statements.ts"
import type { FactKind } from "../state/fact-kind.ts"
import type { FetchedFacts } from "./fetched-facts.ts"

/** The key set of an issuer. It is frozen, because later requests share it. */
export const ISSUER_KEYS: FactKind<"issuerKeys", "issuerKeys", readonly VerificationKey[]> = {
  task: "issuerKeys",
  finding: "issuerKeys",
  subject: ({ issuer }) => issuer,
  read(task, { issuer, keys: published }, { issuerKeys, statement, nowMs }) {
    if (issuer !== task.issuer) throw invalid("it is about another issuer")
    const opened = published.flatMap((key) => openIssuerKey(key) ?? [])
    const keys = Object.freeze(opened.map((key) => Object.freeze(key)))
    const times = { fetchedAtMs: Number(statement.fetchedAtMs), nowMs, untilMs: validUntil(statement) }
    return issuerKeys.learn(issuer, keys, times) ? keys : undefined
  },
  isStored: false,
}

export function issuersOf(facts: FetchedFacts): Issuers {
  const { deps, source } = facts
  return {
    keys(needs) {
      facts.read()
      const found = needs.map((need) => {
        // Known by pairing: the key set that the API tier serves is never asked for.
        if (need.issuer === deps.oidcIssuer) return [ownIssuerKey(requireFetcherKey(deps))]
        return facts.find(ISSUER_KEYS, need.issuer) ?? deps.issuerKeys.find(need, source.nowMs)
      })
      const missing = needs.filter((_need, index) => found[index] === undefined)
      if (missing.length === 0) return found.map((keys) => keys ?? [])
      return facts.ask(ISSUER_KEYS, new Map(missing.map(({ issuer }) => [issuer, () => ({ issuer })])))
    },
  }
}
