import {
  type Outcome,
  OutcomeSchema,
  SmartContractInterfaceType,
} from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { interfacesOf } from "../../policy-advice/interfaces.ts"
import { requireContractAddress, requireInterface } from "../../../signer/core/contract-interface/index.ts"
import type { Interfaces } from "../../../signer/core/contract-interface/interfaces.ts"
import type { PolicyDraft } from "../../policy-advice/draft.ts"
import type { Holdings } from "../../../signer/core/policy/facts/holdings.ts"
import type { PolicyTrace } from "../../policy-advice/trace.ts"
import { simulate, type Simulation } from "../../policy-advice/simulate.ts"
import { SendIncomplete } from "../../policy-advice/simulated-send.ts"
import { SimulationFault } from "../../policy-advice/simulation-fault.ts"
import type { ChainValues } from "../../../signer/core/send/fill.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { usage } from "../../terminal-client/exit.ts"
import { countedBefore } from "./controls.ts"
import { documentOf } from "./organization.ts"
import type { ContractInterface, PolicyText, TestCase, TestOrganization, Uses } from "./test-file.ts"

/** The result of one case. `faults` empty: it is as expected. */
export type CaseResult = {
  name: string
  outcome: string
  reason: string
  faults: string[]
  policies: { policyName: string; outcome: string; trace: PolicyTrace }[]
}

export type Suite = {
  organization: TestOrganization
  policies: readonly PolicyText[]
  interfaces: readonly ContractInterface[]
  cases: readonly TestCase[]
}

/** Decides every case as the signer would. @throws {CliError} usage: a case cannot be decided */
export function runCases({ organization, policies, cases, ...suite }: Suite): CaseResult[] {
  const document = documentOf(organization)
  const drafts = policies.map(draftOf)
  const interfaces = readInterfaces(suite.interfaces)
  const needsTime = drafts.some(({ time }) => time !== undefined)
  return cases.map((one) => {
    if (needsTime && one.time === undefined) {
      throw usage(`case "${one.name}" needs a time: a policy has a time expression`)
    }
    const { activity, parameters, submitter, approvers } = one
    const input = {
      document,
      drafts,
      onlyDrafts: true,
      activity,
      parameters,
      submitter,
      approvers,
      interfaces,
    }
    const nowMs = one.time === undefined ? 0 : Date.parse(one.time)
    const bucketOf = countedBefore(one, document, nowMs)
    const holdings = holdingsOf(one.uses)
    const whole = { ...input, holdings, chain: chainOf(one), bucketOf, nowMs }
    return resultOf(
      one,
      decided(one, () => simulate(whole)),
    )
  })
}

export function draftOf({ policyName, effect, condition, consensus, time }: PolicyText): PolicyDraft {
  return {
    name: policyName,
    effect: effect === "EFFECT_ALLOW" ? "allow" : "deny",
    condition: condition ?? undefined,
    consensus: consensus ?? undefined,
    time: time || undefined,
  }
}

function decided(one: TestCase, run: () => Simulation): Simulation {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof SendIncomplete) {
      const sentence = `case "${one.name}": a policy reads this send, which lacks ${cause.values.join(", ")}`
      throw usage(`${sentence}; set them in parameters or in uses.chain`, { cause })
    }
    if (!(cause instanceof SimulationFault || cause instanceof Refusal)) throw cause
    const isKeyMissing =
      cause instanceof SimulationFault && cause.member === "parameters.signWith" && one.uses.key === undefined
    const hint = isKeyMissing ? "; name the key in uses.key" : ""
    throw usage(`case "${one.name}": ${cause.message}${hint}`, { cause })
  }
}

/** Values of the chain that the parameters of a send name. No policy sees values of the operator's contracts. */
function chainOf({ parameters, uses }: TestCase): ChainValues {
  const { nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, isDelegated, recentBlockhash } = uses.chain
  return {
    caip2: String(parameters["caip2"]),
    nonce: integer(nonce),
    gasLimit: integer(gasLimit),
    maxFeePerGas: integer(maxFeePerGas),
    maxPriorityFeePerGas: integer(maxPriorityFeePerGas),
    isDelegated,
    gasStationNonce: "0",
    paymasterNonce: 0n,
    recentBlockhash,
    lastValidBlockHeight: 0n,
  }
}

function integer(text: string | undefined): bigint | undefined {
  return text === undefined ? undefined : BigInt(text)
}

/** @throws {CliError} usage: an interface would be refused by create_smart_contract_interface */
function readInterfaces(list: readonly ContractInterface[]): Interfaces {
  const texts = list.map(({ smartContractAddress, type, smartContractInterface: given }, index) => {
    const isEthereum = type === "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM"
    const chain = isEthereum ? "ethereum" : "solana"
    const text = typeof given === "string" ? given : JSON.stringify(given)
    try {
      const address = requireContractAddress(chain, smartContractAddress, "smartContractAddress")
      requireInterface(chain, text, "smartContractInterface")
      return { type: SmartContractInterfaceType[isEthereum ? "ETHEREUM" : "SOLANA"], address, text }
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      throw usage(`interfaces[${index}]: ${cause.message}`, { cause })
    }
  })
  return interfacesOf(texts)
}

function resultOf({ name, expect }: TestCase, { outcome, reason, policies }: Simulation): CaseResult {
  const got = outcomeName(outcome)
  const traces = policies.map((trace) => ({
    policyName: trace.name,
    outcome: outcomeName(trace.outcome),
    trace,
  }))
  const faults = Object.entries(expect.policies).flatMap(([policyName, expected]) => {
    const found = traces.find((trace) => trace.policyName === policyName)
    if (found === undefined) return [`there is no policy "${policyName}"`]
    return found.outcome === expected
      ? []
      : [`policy "${policyName}": expected ${expected}, is ${found.outcome}`]
  })
  const own = got === expect.outcome ? [] : [`expected ${expect.outcome}, is ${got}: ${reason}`]
  return { name, outcome: got, reason, faults: [...own, ...faults], policies: traces }
}

function outcomeName(outcome: Outcome): string {
  return OutcomeSchema.value[outcome]?.name ?? ""
}

function holdingsOf({ wallet, wallets, walletAccount, privateKey, key }: Uses): Holdings {
  return {
    ...(wallet && { wallet }),
    ...(wallets && { wallets }),
    ...(privateKey && { privateKey }),
    ...(key && { key }),
    ...(walletAccount && {
      account: {
        address: walletAccount.address,
        ...(walletAccount.path && { path: walletAccount.path }),
      },
    }),
  }
}
