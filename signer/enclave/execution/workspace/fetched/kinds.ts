import { CHECKED_CODE, STARTED_CODE } from "./codes.ts"
import { type AnyFactKind, type FactDeps, FetchedFacts, type FactKinds, type FactsSource } from "./facts.ts"
import { ISSUER_KEYS } from "./issuer-keys.ts"
import { MAILED_KEY, SENT_INVITATIONS } from "./mails.ts"
import { EXCHANGED_CODE, OPENED_SECRET } from "./oauth2.ts"
import { OPENED_KEYS, STARTED_PURCHASE } from "./on-ramp.ts"

const KINDS: FactKinds = new Map(
  [
    ISSUER_KEYS,
    OPENED_SECRET,
    EXCHANGED_CODE,
    OPENED_KEYS,
    STARTED_PURCHASE,
    STARTED_CODE,
    CHECKED_CODE,
    SENT_INVITATIONS,
    MAILED_KEY,
  ].map((kind: AnyFactKind) => [kind.task, kind]),
)

/** The facts of one request, of every kind. */
export function fetchedFacts(source: FactsSource, deps: FactDeps): FetchedFacts {
  return new FetchedFacts(KINDS, source, deps)
}
