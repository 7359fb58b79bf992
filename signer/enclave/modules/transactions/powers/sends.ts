import { readingTransaction } from "../../../../core/fault-refusals.ts"
import { create, type MessageInitShape } from "@bufbuild/protobuf"
import {
  FillValue,
  type NeededFillSchema,
  SignedTransactionSchema,
} from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { once } from "../../../../core/once.ts"
import {
  type DigestSigners,
  type EthereumPlan,
  planEthereumSend,
} from "../../../../core/send/ethereum-plan.ts"
import type { EthereumSend } from "../../../../core/send/ethereum-send.ts"
import { type RawSendParameters, readEthereumSendOf, type SendPlanner } from "../../../../core/send/facts.ts"
import { type ChainValue, isValuesMissing, type ValuesMissing } from "../../../../core/send/fill.ts"
import { readRawTransaction } from "../../../../core/send/raw-transaction.ts"
import { planSolanaSend, type SolanaSendParameters } from "../../../../core/send/solana-send.ts"
import type { Broadcasts, SendPlans } from "../../../activities/powers/sends.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"
import { contextNeeded } from "../../../execution/state/context-needed.ts"
import type { FactsRequest } from "../../../execution/workspace/facts-request.ts"
import type { Workspace } from "../../../execution/workspace/workspace.ts"
import { sponsorshipRows } from "./sponsorship.ts"

type Deps = Pick<ExecutionDeps, "keyring" | "sends">

/** The transactions that a request can be, each made once: policies see the one that is signed. */
export function sendOf(request: FactsRequest, deps: Deps): Send {
  return request.parts.get(`send ${request.fingerprint}`, () => new Send(request, deps))
}

class Send implements SendPlanner {
  readonly ethereum = once(() => this.#planEthereum())
  readonly solana = once(() => this.#planSolana(this.#request.parameters as SolanaSendParameters))
  readonly raw = once(() => this.#readRaw(this.#request.parameters as RawSendParameters))
  readonly #request: FactsRequest
  readonly #deps: Deps

  constructor(request: FactsRequest, deps: Deps) {
    this.#request = request
    this.#deps = deps
  }

  #planEthereum(): EthereumPlan {
    const { activity, parameters, order, nowMs } = this.#request
    const { sends: settings, keyring } = this.#deps
    const send = readEthereumSendOf(activity, parameters)
    return this.#asked(
      () => planEthereumSend(send, order.fill, { settings, paymaster: keyring.paymaster.address, nowMs }),
      (values) => this.#ethereumNeeds(send, values),
    )
  }

  #planSolana(parameters: SolanaSendParameters) {
    const { caip2, signWith, signWiths } = parameters
    return this.#asked(
      () => planSolanaSend(parameters, this.#request.order.fill),
      (values) => ({ caip2, from: signWith ?? signWiths?.[0] ?? "", values: fillValues(values) }),
    )
  }

  #readRaw({ signedTransaction, caip2 }: RawSendParameters) {
    return readingTransaction(
      () => readRawTransaction(signedTransaction, caip2),
      "parameters.signedTransaction",
    )
  }

  /** Asks the API tier for the values that a plan lacks. */
  #asked<T extends object>(
    plan: () => T | ValuesMissing,
    needs: (values: readonly ChainValue[]) => FillNeeds,
  ): T {
    const planned = readingTransaction(plan)
    if (!isValuesMissing(planned)) return planned
    const { organization, fingerprint } = this.#request
    const activityFingerprint = Buffer.from(fingerprint, "hex")
    const fill = { ...needs(planned.missing), activityFingerprint }
    throw contextNeeded({ organizationId: organization.id, fill })
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

export function sendPlansOf(workspace: Workspace): SendPlans {
  const { ethereum, solana } = sendOf(workspace.factsRequest, workspace.deps)
  return { ethereum, solana, sign: (sender) => signPlan(ethereum(), sender, workspace) }
}

function signPlan(plan: EthereumPlan, sender: DigestSigners["sender"], { run, changes, deps }: Workspace) {
  if (plan.send.kind !== "sponsored") return plan.sign({ sender, payer: sender })
  changes.index.push(...sponsorshipRows(plan, run.organization.id, run.governing(), run.nowMs, deps))
  return plan.sign({ sender, payer: deps.keyring.paymaster.sign })
}

export function broadcastsOf({ factsRequest, broadcasts, deps }: Workspace): Broadcasts {
  return {
    raw: sendOf(factsRequest, deps).raw,
    add: (transaction) => void broadcasts.push(create(SignedTransactionSchema, transaction)),
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
