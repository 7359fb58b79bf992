import type { Test } from "tap"
import { type Hex, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from "viem"
import type { Outcome, SignedTransaction } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { asRoot, type Fixture, setup } from "../hostile/setup.ts"
import type { Fill } from "./api-client.ts"

export const CHAIN = "eip155:8453"
export const TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
export const OTHER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"

/** Values that an honest API tier reads. */
export const FILL = {
  caip2: CHAIN,
  nonce: 7n,
  gasLimit: 90_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  gasStationNonce: "3",
  isDelegated: true,
  paymasterNonce: 11n,
} as const satisfies Fill

/** A signer with one wallet, behind an API tier that reads `FILL`. */
export async function setupSends(
  t: Pick<Test, "teardown">,
  settings: { [name: string]: string } = {},
  fill: Fill = FILL,
): Promise<Fixture> {
  const fixture = await setup(t, settings)
  fixture.client.chain = () => fill
  return fixture
}

/** Parameters of a transfer, of version 1. */
export const transferOf = ({ address }: Pick<Fixture, "address">, more: object = {}) => {
  return { from: address, caip2: CHAIN, to: TO, value: "5", ...more }
}

/** The one transaction that an outcome brings. */
export function sentBy({ signedTransactions }: Outcome): SignedTransaction {
  const [one, ...others] = signedTransactions
  if (one === undefined || others.length > 0) throw new Error(`${signedTransactions.length} transactions`)
  return one
}

export const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`

/** A signed transaction as viem reads it, with the account that viem recovers. */
export async function readSent({ raw }: SignedTransaction) {
  const serialized = hexOf(raw) as TransactionSerialized
  const from = await recoverTransactionAddress({ serializedTransaction: serialized })
  return { ...parseTransaction(serialized), from, serialized }
}

export async function send(fixture: Fixture, parameters: object, type = "ETH_SEND_TRANSACTION") {
  return asRoot(fixture).submit(type, parameters)
}
