// Words of interfaces of contracts.
import { SmartContractInterfaceType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type AbiFunction, readAbi } from "../../../contract-interface/abi.ts"
import { isUnreadable } from "../../../contract-interface/fault.ts"
import { readIdl } from "../../../contract-interface/idl.ts"
import { standardFunction } from "../../../contract-interface/token-functions.ts"
import { counted } from "../../../counted.ts"
import { quoted } from "../../../words/text.ts"
import { sha256Hex } from "../../../words/values.ts"
import type { Content } from "../../../words/words.ts"
import type { FamilyWriters } from "../../../words/writer.ts"

export const interfaces = {
  createSmartContractInterfaceIntent(members) {
    const { smartContractInterface, type } = members.raw
    const sentence = `Read calls of contract ${members.say("smartContractAddress")} by interface ${members.say("label")}`
    return { sentence, contents: [interfaceContent(smartContractInterface, type)] }
  },
  deleteSmartContractInterfaceIntent: (members) =>
    `Delete smart contract interface ${members.say("smartContractInterfaceId")}`,
} satisfies FamilyWriters

/** The functions of an interface, and the digest by which the organization's document names it. */
function interfaceContent(text: string, type: SmartContractInterfaceType): Content {
  const { functions, fault } = functionsIn(text, type)
  return {
    title: "Smart contract interface",
    summary: counted(functions.length, "function"),
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
