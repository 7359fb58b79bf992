import { create } from "@bufbuild/protobuf"
import { FetchedStatementSchema } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { isSignedTagged, readPublicKeySet, signTagged } from "../../signer/core/crypto/keyset.ts"
import { openOrder } from "../../signer/core/fetch-orders/order.ts"
import { makeStatement } from "../../signer/core/fetch-orders/statement.ts"
import { readKeySet } from "../../signer/core/oidc/key-set.ts"
import { claimsOf, idToken, issuerKey, type IssuerKeyPair, keySetOf } from "../harness/id-token.ts"
import type { Fixture } from "./setup.ts"

export const GOOGLE = "https://accounts.google.com"

/** Client id of the shop's page at Google. */
export const CLIENT_ID = "shop.apps.googleusercontent.com"

/** A paired fetcher that also states the keys of Google, as if it had asked there; and Google's tokens. */
export function withGoogle({ fakeFetcher, boundary }: Fixture) {
  const key = issuerKey("p256", "google")
  const { keySet } = fakeFetcher
  const fetchElsewhere = fakeFetcher.fetch.bind(fakeFetcher)
  fakeFetcher.fetch = async (order) => {
    const notarizer = readPublicKeySet(boundary.signer.state().keyring.pins.notarizerPublicKey)!.sign
    const opened = openOrder(order, (tag, bytes, signature) =>
      isSignedTagged(notarizer, tag, bytes, signature),
    )
    const { task, organizationId } = opened!.order
    if (task.case !== "issuerKeys" || task.value.issuer !== GOOGLE) return fetchElsewhere(order)
    const configurationUrl = `${GOOGLE}/.well-known/openid-configuration`
    const keysUrl = "https://www.googleapis.com/oauth2/v3/certs"
    const value = { issuer: GOOGLE, configurationUrl, keysUrl, keys: readKeySet(keySetOf(key)) }
    const about = { orderDigest: opened!.digest, organizationId, stateSequence: 0n }
    const sign = (tag: string, bytes: Uint8Array) => signTagged(keySet, tag, bytes)
    const statement = makeStatement({ case: "issuerKeys", value }, about, boundary.clock.wallMs(), sign)
    return create(FetchedStatementSchema, { order, statement })
  }
  /** A token of Ann, who has proven her address there. */
  return (changes: object = {}, by: IssuerKeyPair = key) => {
    const ann = { aud: CLIENT_ID, sub: "110169", email: "ann@example.com", email_verified: true }
    return idToken(claimsOf(GOOGLE, boundary.clock.wallMs(), { ...ann, ...changes }), by)
  }
}
