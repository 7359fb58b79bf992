import { create, type MessageInitShape } from "@bufbuild/protobuf"
import {
  FillValue,
  type NeededFillSchema,
  type Order,
  type SignedTransaction,
  SignedTransactionSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import {
  type DigestSigners,
  type EthereumPlan,
  planEthereumSend,
  type SignedBytes,
} from "../../../core/send/ethereum-plan.ts"
import type { EthereumSend } from "../../../core/send/ethereum-send.ts"
import { type ChainValue, ValuesMissing } from "../../../core/send/fill.ts"
import { type RawTransaction, readRawTransaction } from "../../../core/send/raw-transaction.ts"
import { planSolanaSend, type SolanaPlan, type SolanaSendParameters } from "../../../core/send/solana-send.ts"
import { readingTransaction } from "../../../core/transaction/refusal.ts"
import type { Broadcasts, SendPlans } from "../../activities/powers/sends.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { ContextNeeded } from "../state/organizations.ts"
import type { Changes } from "./changes.ts"
import { sponsorshipRows } from "./sponsorship.ts"

type DigestSigner = DigestSigners["sender"]

/** Values from which a send is planned: the order's fill, and the fingerprint of the send's activity. */
export type SendSource = {
  readonly organizationId: string
  readonly fingerprint: string
  readonly fill: Order["fill"]
  readonly nowMs: number
  /** Present while the activity runs. `governing`: the top-level organization. */
  readonly sponsor?: {
    readonly governing: () => Organization
    readonly changes: () => Pick<Changes, "index">
  }
}

type Deps = Pick<ExecutionDeps, "keyring" | "sends" | "ledger">

/** Plans of one request's send. All plans of one source are equal: policies see the one that is signed. */
export class Sends implements SendPlans, Broadcasts {
  /** Transactions that were signed, to be broadcast. */
  readonly signed: SignedTransaction[] = []
  readonly #source: SendSource
  readonly #deps: Deps

  constructor(source: SendSource, deps: Deps) {
    this.#source = source
    this.#deps = deps
  }

  plan(send: EthereumSend): EthereumPlan {
    const { fill, nowMs } = this.#source
    const { sends: settings, keyring } = this.#deps
    return this.#asked(
      () => planEthereumSend(send, fill, { settings, paymaster: keyring.paymaster.address, nowMs }),
      (values) => this.#ethereumNeeds(send, values),
    )
  }

  planSolana(parameters: SolanaSendParameters): SolanaPlan {
    const { caip2, signWith, signWiths } = parameters
    return this.#asked(
      () => planSolanaSend(parameters, this.#source.fill),
      (values) => ({ caip2, from: signWith ?? signWiths?.[0] ?? "", values: fillValues(values) }),
    )
  }

  raw({ signedTransaction, caip2 }: Parameters<Broadcasts["raw"]>[0]): RawTransaction {
    return readingTransaction(
      () => readRawTransaction(signedTransaction, caip2),
      "parameters.signedTransaction",
    )
  }

  sign(plan: EthereumPlan, sender: DigestSigner): SignedBytes {
    const { organizationId, nowMs, sponsor } = this.#source
    if (plan.send.kind !== "sponsored") return plan.sign({ sender, payer: sender })
    if (sponsor === undefined) throw new Error("a send is signed while its activity runs")
    const rows = sponsorshipRows(plan, organizationId, sponsor.governing(), nowMs, this.#deps)
    sponsor.changes().index.push(...rows)
    return plan.sign({ sender, payer: this.#deps.keyring.paymaster.sign })
  }

  add(transaction: Parameters<Broadcasts["add"]>[0]): void {
    this.signed.push(create(SignedTransactionSchema, transaction))
  }

  /** Asks the API tier for the values that a plan lacks. */
  #asked<T>(plan: () => T, needs: (values: readonly ChainValue[]) => FillNeeds): T {
    try {
      return readingTransaction(plan)
    } catch (error) {
      if (!(error instanceof ValuesMissing)) throw error
      const { organizationId, fingerprint } = this.#source
      const activityFingerprint = Buffer.from(fingerprint, "hex")
      throw new ContextNeeded({ organizationId, fill: { ...needs(error.values), activityFingerprint } })
    }
  }

  #ethereumNeeds(send: EthereumSend, values: readonly ChainValue[]): FillNeeds {
    const { kind, caip2, from, calls } = send
    const { keyring, sends } = this.#deps
    const station = kind === "sponsored" || kind === "batch" ? sends.gasStation(caip2) : undefined
    const sponsored = kind === "sponsored" && station !== undefined
    return {
      caip2,
      from,
      calls: calls.map(({ to, value, data }) => {
        return { to, value: String(value), data: Buffer.from(data.slice(2), "hex") }
      }),
      sponsor: sponsored,
      values: fillValues(values),
      paymaster: sponsored ? keyring.paymaster.address : "",
      gasStation: sponsored ? station.station : "",
      delegate: station?.delegate ?? "",
    }
  }
}

type FillNeeds = Extract<MessageInitShape<typeof NeededFillSchema>, { $typeName?: never }>

function fillValues(values: readonly ChainValue[]): FillValue[] {
  return values.map((name) => FILL_VALUES[name])
}

const FILL_VALUES: Readonly<Record<ChainValue, FillValue>> = {
  nonce: FillValue.NONCE,
  gasLimit: FillValue.GAS_LIMIT,
  maxFeePerGas: FillValue.MAX_FEE_PER_GAS,
  maxPriorityFeePerGas: FillValue.MAX_PRIORITY_FEE_PER_GAS,
  gasStationNonce: FillValue.GAS_STATION_NONCE,
  isDelegated: FillValue.IS_DELEGATED,
  paymasterNonce: FillValue.PAYMASTER_NONCE,
  recentBlockhash: FillValue.RECENT_BLOCKHASH,
}
