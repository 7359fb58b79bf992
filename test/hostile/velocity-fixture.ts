import type { Test } from "tap"
import { parseEther, serializeTransaction } from "viem"
import { valueOf } from "../harness/api-client.ts"
import { aggregation, transfers, type VelocityIntent } from "../harness/velocity.ts"
import { allow, type MemberFixture, setupMembers } from "./consensus-fixture.ts"
import { asRoot } from "./setup.ts"

export type VelocityFixture = MemberFixture & { velocityControlId: string; policyId: string }

export const DAY_MS = 86_400_000
/** A hundredth of the window is the precision of a rolling window. */
export const SLOT_MS = DAY_MS / 100

export const HALF = aggregation({ threshold: "1.5" })

/** Dan may sign transactions that keep a control true: by default, 1.5 ether of the organization in a day. */
export async function limited(t: Test, intent: VelocityIntent = transfers()): Promise<VelocityFixture> {
  const fixture = await setupMembers(t)
  const velocityControlId = await createControl(fixture, intent)
  const policyId = await allow(fixture, { condition: `controls.${intent.identifier}` })
  return { ...fixture, velocityControlId, policyId }
}

export async function createControl(fixture: MemberFixture, intent: VelocityIntent): Promise<string> {
  const outcome = await asRoot(fixture).submit("CREATE_VELOCITY_CONTROL", intent)
  return valueOf(outcome, "createVelocityControlResult").velocityControlId
}

let nonce = 0

/** Parameters of a transaction that pays so much ether. Each has a nonce of its own. */
export function payment(signWith: string, ether: string, chainId = 1) {
  const unsigned = serializeTransaction({
    type: "eip1559",
    chainId,
    nonce: ++nonce,
    gas: 21_000n,
    maxFeePerGas: 30n,
    maxPriorityFeePerGas: 2n,
    to: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    value: parseEther(ether),
  })
  return { signWith, unsignedTransaction: unsigned.slice(2), type: "TRANSACTION_TYPE_ETHEREUM" }
}

/** The body of a payment by dan. */
export function paymentBody({ client, acme, address }: MemberFixture, ether: string): string {
  return client.body("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", acme.organizationId, payment(address, ether))
}

/** Dan pays; "signed", or the code of the refusal. */
export async function pay(fixture: MemberFixture, ether: string): Promise<string> {
  const answer = await fixture.client.send(paymentBody(fixture, ether), fixture.dan.key)
  return answer.is === "refused" ? answer.code : answer.is === "outcome" ? "signed" : answer.is
}

/** Names of the rows that count. */
export function counters({ boundary, acme }: VelocityFixture): string[] {
  return boundary.signer
    .state()
    .ledger.rows(acme.organizationId, "velocity")
    .map(({ key }) => key)
}
