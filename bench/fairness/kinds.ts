import { randomBytes } from "node:crypto"
import { signingBody, transactionBody } from "../load/request.ts"
import type { Target } from "../load/target.ts"
import { largeCall, unsignedCall } from "../transactions/samples.ts"
import { RARE_TYPE } from "./history.ts"
import { ANSWER_MS, type Receivers, SLOW_ENDPOINTS } from "./receivers.ts"

/** Requests of a flood, each as the path and the body of an HTTP request. */
export type Flood = {
  /** For reports. */
  name: string
  /** A closed loop on this many connections, or this many requests a second, whether or not earlier ones were answered. */
  pace: { connections: number } | { perSecond: number }
  /** Most requests to stamp before the flood begins, so that stamping takes no CPU from the service. */
  stampedAhead: number
  /** True if a request may be sent again. A submitted body that completed would only be looked up. */
  isRepeatable: boolean
  /** The organization's receivers of notifications; absent: it has no endpoint. */
  receivers?: Receivers
  make(target: Target, index: number): { path: string; body: string }
  /**
   * Absent: right stamps. "wrong": in turn a stamp of another body, and a header that is no stamp. "wrong after right": some right
   * stamps, after which the API leaves stamps of the credential to the signer, then stamps of another body.
   */
  stamps?: "wrong" | "wrong after right"
}

const ACCOUNTS = 1_000
const PAYLOADS = 100
/** Below the largest body of create_smart_contract_interface. */
const LARGE_BODY_BYTES = 1_000_000
const calldata = largeCall()
const MEMBERS = 84_000
const unknownMembers = Array.from({ length: MEMBERS }, (_, index) => `"m${index}":0`).join()
const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: `m/44'/60'/0'/0/${index}`,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
}))

/** Filters of list_activities: no activity has the first, few have the others (see history.ts). */
export const listFilters = [
  { filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"] },
  { filterByStatus: ["ACTIVITY_STATUS_FAILED"] },
  { filterByType: [RARE_TYPE] },
  { filterByStatus: ["ACTIVITY_STATUS_FAILED"], filterByType: ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"] },
] as const

export const floods = {
  signatures: {
    name: "signatures on 16 connections",
    pace: { connections: 16 },
    stampedAhead: 10_000,
    isRepeatable: false,
    make: signature,
  },
  batches: {
    name: `batches of ${PAYLOADS} signatures on 4 connections`,
    pace: { connections: 4 },
    stampedAhead: 500,
    isRepeatable: false,
    make({ organizationId, signWith }) {
      const payloads = Array.from({ length: PAYLOADS }, () => randomBytes(32).toString("hex"))
      const parameters = {
        signWith,
        payloads,
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      }
      const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS"
      const body = JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters })
      return { path: "submit/sign_raw_payloads", body }
    },
  },
  proofs: {
    name: "signatures with app proofs on 16 connections",
    pace: { connections: 16 },
    stampedAhead: 10_000,
    isRepeatable: false,
    make(target) {
      return {
        path: "submit/sign_raw_payload",
        body: signingBody(target).replace("{", '{"generateAppProofs":true,'),
      }
    },
  },
  subOrganizations: {
    name: "sub-organizations on 4 connections",
    pace: { connections: 4 },
    stampedAhead: 2_000,
    isRepeatable: false,
    make({ organizationId, publicKeyHex: publicKey }) {
      const apiKeys = [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" }]
      const rootUsers = [{ userName: "root", apiKeys, authenticators: [], oauthProviders: [] }]
      const subOrganizationName = randomBytes(16).toString("hex")
      const parameters = { subOrganizationName, rootUsers, rootQuorumThreshold: 1 }
      const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
      const body = JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters })
      return { path: "submit/create_sub_organization", body }
    },
  },
  badStamps: {
    name: "bodies of 1 MB with wrong stamps on 16 connections",
    pace: { connections: 16 },
    stampedAhead: 2,
    isRepeatable: true,
    stamps: "wrong",
    make({ organizationId }) {
      const parameters = { smartContractInterface: "x".repeat(LARGE_BODY_BYTES) }
      const type = "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE"
      const body = JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters })
      return { path: "submit/create_smart_contract_interface", body }
    },
  },
  knownBadStamps: {
    name: "wrong stamps of a known credential on 16 connections",
    pace: { connections: 16 },
    stampedAhead: 20_000,
    isRepeatable: false,
    stamps: "wrong after right",
    make: signature,
  },
  wallets: {
    name: "wallets of 1,000 accounts on 4 connections",
    pace: { connections: 4 },
    stampedAhead: 100,
    isRepeatable: false,
    make({ organizationId }) {
      const timestampMs = String(Date.now())
      const parameters = { walletName: randomBytes(16).toString("hex"), accounts }
      const type = "ACTIVITY_TYPE_CREATE_WALLET"
      const body = JSON.stringify({ type, timestampMs, organizationId, parameters })
      return { path: "submit/create_wallet", body }
    },
  },
  members: {
    name: "bodies of 84,000 members on 4 connections",
    pace: { connections: 4 },
    stampedAhead: 32,
    isRepeatable: true,
    make(target) {
      return {
        path: "submit/sign_raw_payload",
        body: signingBody(target).replace("{", `{${unknownMembers},`),
      }
    },
  },
  lists: {
    name: "16 filtered lists of activities",
    pace: { connections: 16 },
    stampedAhead: listFilters.length,
    isRepeatable: true,
    make: (target, index) => list(target, listFilters[index % listFilters.length]),
  },
  requests: {
    name: "1,500 requests a second offered",
    pace: { perSecond: 1_500 },
    stampedAhead: 25_000,
    isRepeatable: false,
    make: signature,
  },
  slowReceivers: {
    name: `20 signatures a second, notified to ${SLOW_ENDPOINTS} receivers that answer after ${ANSWER_MS / 1000} s`,
    pace: { perSecond: 20 },
    stampedAhead: 1_000,
    isRepeatable: false,
    receivers: "slow",
    make: signature,
  },
  outage: {
    name: "20 signatures a second, while an hour's notifications are delivered after an outage",
    pace: { perSecond: 20 },
    stampedAhead: 1_000,
    isRepeatable: false,
    receivers: "after an outage",
    make: signature,
  },
  transactions: {
    name: "transactions with 128 kB of calldata on 4 connections",
    pace: { connections: 4 },
    stampedAhead: 64,
    isRepeatable: false,
    make(target, index) {
      return { path: "submit/sign_transaction", body: transactionBody(target, unsignedCall(calldata, index)) }
    },
  },
  largeLists: {
    name: "16 lists of such transactions",
    pace: { connections: 16 },
    stampedAhead: 1,
    isRepeatable: true,
    make: (target) => list(target, { filterByType: ["ACTIVITY_TYPE_SIGN_TRANSACTION_V2"] }),
  },
} as const satisfies Record<string, Flood>

function list({ organizationId }: Target, filter: object | undefined) {
  const paginationOptions = { limit: "100" }
  const body = JSON.stringify({ organizationId, ...filter, paginationOptions })
  return { path: "query/list_activities", body }
}

function signature(target: Target) {
  return { path: "submit/sign_raw_payload", body: signingBody(target) }
}

export type FloodKind = keyof typeof floods
export const floodKinds = Object.keys(floods) as FloodKind[]
