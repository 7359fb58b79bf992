// Words of policies, controls, profiles and interfaces of contracts.
import { Effect, SmartContractInterfaceType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type AbiFunction, readAbi } from "../../contract-interface/abi.ts"
import { readIdl } from "../../contract-interface/idl.ts"
import { standardFunction } from "../contents/token-effects.ts"
import { limitText, sourceText } from "../contents/velocity.ts"
import { isUnreadable } from "../../contract-interface/fault.ts"
import { quoted } from "../text.ts"
import type { Told } from "../told.ts"
import { sha256Hex } from "../values.ts"
import type { FamilyWriters } from "../writer.ts"
import type { Content } from "../words.ts"

type NewPolicy = {
  readonly policyName: string
  readonly effect: Effect
  readonly condition?: string | undefined
  readonly consensus?: string | undefined
}
type ChangedPolicy = {
  readonly policyId: string
  readonly policyName?: string | undefined
  readonly policyEffect?: Effect | undefined
  readonly policyCondition?: string | undefined
  readonly policyConsensus?: string | undefined
}
type MfaPolicy = {
  readonly mfaPolicyName?: string | undefined
  readonly userId: string
  readonly condition?: string | undefined
}

export const policies = {
  createPolicyIntentV3: (told) => `Create policy ${newPolicy(told)}`,
  createPoliciesIntent: (told) => `Create policies ${told.list("policies", newPolicy)}`,
  updatePolicyIntent: changedPolicy,
  updatePolicyIntentV2: (told) => `${changedPolicy(told)}${told.ifSet("time", (time) => `, time ${time}`)}`,
  deletePolicyIntent: (told) => `Delete policy ${told.say("policyId")}`,
  deletePoliciesIntent: (told) => `Delete policies ${told.say("policyIds")}`,
  createMfaPolicyIntent: (told) => `Create MFA policy ${mfaPolicy(told)}`,
  updateMfaPolicyIntent: (told) => `Change MFA policy ${told.say("mfaPolicyId")}: ${mfaPolicy(told)}`,
  deleteMfaPolicyIntent: (told) =>
    `Delete MFA policy ${told.say("mfaPolicyId")} of user ${told.say("userId")}`,
  createSessionProfileIntent: (told) =>
    `Create session profile ${told.say("sessionProfileName")}${told.ifSet("scope", (scope) => ` for ${scope}`)}`,
  deleteSessionProfileIntent: (told) => `Delete session profile ${told.say("sessionProfileId")}`,
  createSmartContractInterfaceIntent(told) {
    const { smartContractInterface, type } = told.raw
    const sentence = `Read calls of contract ${told.say("smartContractAddress")} by interface ${told.say("label")}`
    return { sentence, contents: [interfaceContent(smartContractInterface, type)] }
  },
  deleteSmartContractInterfaceIntent: (told) =>
    `Delete smart contract interface ${told.say("smartContractInterfaceId")}`,
  createVelocityControlIntent(told) {
    const { dataSource, aggregation } = told.raw
    const counts = dataSource === undefined ? "" : `: it counts ${sourceText(dataSource)}`
    const holds = aggregation === undefined ? "" : `; it holds while ${limitText(aggregation)}`
    return `Create velocity control ${told.say("name")}${counts}${holds}`
  },
  deleteVelocityControlIntent: (told) => `Delete velocity control ${told.say("velocityControlId")}`,
} satisfies FamilyWriters

function newPolicy(told: Told<NewPolicy>): string {
  told.note("effect")
  const effect = told.raw.effect === Effect.DENY ? "denies" : "allows"
  const when = told.ifSet("condition", (condition) => ` where ${condition}`) || " everything"
  return `${told.say("policyName")}, which ${effect}${when}${told.ifSet("consensus", (consensus) => `, with consensus ${consensus}`)}`
}

const effectWords = (word: string) => `, effect ${word}`

function changedPolicy(told: Told<ChangedPolicy>): string {
  return `Change policy ${told.say("policyId")}${told.ifSet("policyName", (name) => `: name ${name}`)}${told.ifSet("policyEffect", effectWords)}${told.ifSet("policyCondition", (condition) => `, condition ${condition}`)}${told.ifSet("policyConsensus", (consensus) => `, consensus ${consensus}`)}`
}

function mfaPolicy(told: Told<MfaPolicy>): string {
  return `${told.ifSet("mfaPolicyName", (name) => `${name} `)}for user ${told.say("userId")}${told.ifSet("condition", (condition) => ` where ${condition}`)}`
}

/** The functions of an interface, and the digest by which the organization's document names it. */
function interfaceContent(text: string, type: SmartContractInterfaceType): Content {
  const { functions, fault } = functionsIn(text, type)
  return {
    title: "Smart contract interface",
    summary: `${functions.length} functions`,
    facts: [
      { name: "SHA-256", value: sha256Hex(text) },
      { name: "Functions", value: "", text: functions },
    ],
    warnings: [
      "Approvers and policies read calls of this contract by these names from then on.",
      ...(fault === undefined ? [] : [fault]),
    ],
  }
}

function functionsIn(
  text: string,
  type: SmartContractInterfaceType,
): { functions: string[]; fault?: string } {
  try {
    return {
      functions: type === SmartContractInterfaceType.SOLANA ? instructionsOf(text) : functionsOf(text),
    }
  } catch (error) {
    return {
      functions: [],
      fault: `It cannot be read: ${quoted(error instanceof Error ? error.message : String(error))}.`,
    }
  }
}

function functionsOf(text: string): string[] {
  const { functions, faults } = readAbi(text)
  const lines = Array.from(functions.values(), (one) =>
    isUnreadable(one)
      ? `${quoted(one.signature)} 0x${one.selector}: ${unreadable(one)}`
      : `${one.signature} 0x${one.selector}${sharedText(one)}`,
  )
  return [...lines, ...faults.map((fault) => `no function: ${quoted(fault.message)}`)]
}

/** Says which function of tokens has the selector too. */
function sharedText({ selector, signature }: AbiFunction): string {
  const standard = standardFunction(selector)?.signature ?? signature
  return standard === signature ? "" : `: tokens have ${standard} with this selector`
}

function instructionsOf(text: string): string[] {
  const { instructions, faults } = readIdl(text)
  const lines = instructions.map((one) =>
    isUnreadable(one) ? `${quoted(one.name ?? "")}: ${unreadable(one)}` : quoted(one.name),
  )
  return [...lines, ...faults.map((fault) => `no instruction: ${quoted(fault.message)}`)]
}

function unreadable({ fault }: { readonly fault: Error }): string {
  return `its arguments cannot be read (${quoted(fault.message)})`
}
