// Proofs with their evidence, and forgeries of it by the API tier.
import t from "tap"
import type { Evidence } from "../../signer/core/proof/verify/index.ts"
import { ApiClient, ethereumAccount } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { asking, bootProofOf, pinsOf, sent, shownActivity } from "../harness/proofs.ts"
import { SecondVerifier } from "../harness/second-verifier.ts"
import type { Stamper } from "../harness/stamper.ts"

type Test = { teardown: (end: () => Promise<void>) => void }
type Json = { [name: string]: unknown }

export const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"
export const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"

export async function setup(t: Test) {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const tenant = await client.createOrganization()
  const { organizationId, root } = tenant
  /** Submits, and returns the activity with its evidence, as an honest API tier does. */
  const prove = async (type: string, parameters: object, key: Stamper = root) => {
    const body = asking(client, type, organizationId, parameters)
    const activity = shownActivity(await sent(client, body, key))
    return evidenceOf(activity, [await bootProofOf(boundary.signer)])
  }
  const evidenceOf = (activity: Json, bootProofs: Json[]): Evidence => ({
    proofs: activity["appProofs"] as Evidence["proofs"],
    bootProofs,
    pins: pinsOf(boundary.signer),
    activity,
  })
  return { boundary, client, tenant, prove, evidenceOf }
}

export const verifiers = new SecondVerifier()

/** Faults that the verifier reports. */
export function faultsOf(evidence: Evidence): string[] {
  const faults = sentencesOf(evidence, "failed")
  t.equal(verifiers.verify(evidence).verified, faults.length === 0)
  return faults
}

export function sentencesOf(evidence: Evidence, verdict: "proven" | "not-proven" | "failed"): string[] {
  const { proofs, together } = verifiers.verify(evidence)
  return [...proofs.flatMap(({ findings }) => findings), ...together]
    .filter((finding) => finding.verdict === verdict)
    .map(({ sentence }) => sentence)
}

/** The same evidence with the activity altered. */
export function altered(evidence: Evidence, change: Json): Evidence {
  return { ...evidence, activity: { ...evidence.activity, ...change } }
}

export function wallet(walletName = "First") {
  return { walletName, accounts: [ethereumAccount(0)] }
}

export function createdWallet({ activity }: Evidence): Json {
  const result = activity?.["result"] as { createWalletResult: Json } | undefined
  return result?.createWalletResult ?? {}
}
