// Words of policies, controls, profiles and interfaces of contracts.
import { Effect, SmartContractInterfaceType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type AbiFunction, readAbi } from "../../contract-interface/abi.ts"
import { readIdl } from "../../contract-interface/idl.ts"
import { standardFunction } from "../../contract-interface/token-functions.ts"
import { limitText, sourceText } from "../contents/velocity.ts"
import { isUnreadable } from "../../contract-interface/fault.ts"
import { quoted } from "../text.ts"
import type { MemberPhrases } from "../member-phrases.ts"
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
  createPolicyIntentV3: (members) => `Create policy ${newPolicy(members)}`,
  createPoliciesIntent: (members) => `Create policies ${members.list("policies", newPolicy)}`,
  updatePolicyIntent: changedPolicy,
  updatePolicyIntentV2: (members) =>
    `${changedPolicy(members)}${members.ifSet("time", (time) => `, time ${time}`)}`,
  deletePolicyIntent: (members) => `Delete policy ${members.say("policyId")}`,
  deletePoliciesIntent: (members) => `Delete policies ${members.say("policyIds")}`,
  createMfaPolicyIntent: (members) => `Create MFA policy ${mfaPolicy(members)}`,
  updateMfaPolicyIntent: (members) =>
    `Change MFA policy ${members.say("mfaPolicyId")}: ${mfaPolicy(members)}`,
  deleteMfaPolicyIntent: (members) =>
    `Delete MFA policy ${members.say("mfaPolicyId")} of user ${members.say("userId")}`,
  createSessionProfileIntent: (members) =>
    `Create session profile ${members.say("sessionProfileName")}${members.ifSet("scope", (scope) => ` for ${scope}`)}`,
  deleteSessionProfileIntent: (members) => `Delete session profile ${members.say("sessionProfileId")}`,
  createSmartContractInterfaceIntent(members) {
    const { smartContractInterface, type } = members.raw
    const sentence = `Read calls of contract ${members.say("smartContractAddress")} by interface ${members.say("label")}`
    return { sentence, contents: [interfaceContent(smartContractInterface, type)] }
  },
  deleteSmartContractInterfaceIntent: (members) =>
    `Delete smart contract interface ${members.say("smartContractInterfaceId")}`,
  createVelocityControlIntent(members) {
    const { dataSource, aggregation } = members.raw
    const counts = dataSource === undefined ? "" : `: it counts ${sourceText(dataSource)}`
    const holds = aggregation === undefined ? "" : `; it holds while ${limitText(aggregation)}`
    return `Create velocity control ${members.say("name")}${counts}${holds}`
  },
  deleteVelocityControlIntent: (members) => `Delete velocity control ${members.say("velocityControlId")}`,
} satisfies FamilyWriters

function newPolicy(members: MemberPhrases<NewPolicy>): string {
  members.mention("effect")
  const effect = members.raw.effect === Effect.DENY ? "denies" : "allows"
  const when = members.ifSet("condition", (condition) => ` where ${condition}`) || " everything"
  return `${members.say("policyName")}, which ${effect}${when}${members.ifSet("consensus", (consensus) => `, with consensus ${consensus}`)}`
}

const effectWords = (word: string) => `, effect ${word}`

function changedPolicy(members: MemberPhrases<ChangedPolicy>): string {
  return `Change policy ${members.say("policyId")}${members.ifSet("policyName", (name) => `: name ${name}`)}${members.ifSet("policyEffect", effectWords)}${members.ifSet("policyCondition", (condition) => `, condition ${condition}`)}${members.ifSet("policyConsensus", (consensus) => `, consensus ${consensus}`)}`
}

function mfaPolicy(members: MemberPhrases<MfaPolicy>): string {
  return `${members.ifSet("mfaPolicyName", (name) => `${name} `)}for user ${members.say("userId")}${members.ifSet("condition", (condition) => ` where ${condition}`)}`
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
