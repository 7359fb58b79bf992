import { type NodeRefusal, nodeText } from "../../chains/json-rpc.ts"
import type { SendFailure } from "../store/sends.ts"

/**
 * Meaning of a node's refusal of signed bytes:
 *
 * - `known`: the transaction is included
 * - `final`: the node will not take these bytes
 * - `transient`: it may take them later
 */
export type SolanaMeaning = "known" | "final" | "transient"

/** Log lines of a simulation that are kept. */
const MAX_LOGS = 50

/** Codes with which a node judges the transaction itself: rpc-client-api/src/custom_error.rs of Agave, and JSON-RPC's. */
const PREFLIGHT_FAILURE = -32_002
const FINAL_CODES: readonly number[] = [
  PREFLIGHT_FAILURE,
  // Signature verification, signature length, unsupported version, invalid parameters.
  -32_003,
  -32_013,
  -32_015,
  -32_602,
]

/** A code that is not known is taken for transient: no transaction is given up early. */
export function solanaMeaningOf({ code, message, data }: NodeRefusal): SolanaMeaning {
  const text = `${message} ${jsonOf(data)}`
  if (/already been processed|AlreadyProcessed/i.test(text)) return "known"
  // The node may be behind the one that gave the block hash.
  if (/blockhash ?not ?found/i.test(text)) return "transient"
  return FINAL_CODES.includes(code) ? "final" : "transient"
}

export function solanaFailureOf({ code, message, data }: NodeRefusal): SendFailure {
  const { err, logs, unitsConsumed } = (typeof data === "object" && data !== null ? data : {}) as {
    err?: unknown
    logs?: unknown
    unitsConsumed?: unknown
  }
  return {
    message: `the node refused the transaction: ${message}`,
    solana: {
      source: "preflight",
      rpcCode: code,
      rpcMessage: message,
      ...(err !== undefined && { transactionErrorJson: jsonOf(err) }),
      ...(Array.isArray(logs) && { logs: logs.slice(0, MAX_LOGS).map(nodeText) }),
      ...(Number.isSafeInteger(unitsConsumed) && { unitsConsumed: String(unitsConsumed) }),
    },
  }
}

/** JSON of a node for people: one line of bounded length. */
export function jsonOf(value: unknown): string {
  return nodeText(JSON.stringify(value ?? null))
}
